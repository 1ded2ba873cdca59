import { defineConfig } from 'vitest/config';

// Software rendering is slow and the tests wait for frames: the limits only catch a page that hangs.
export default defineConfig({
  test: { testTimeout: 300_000, hookTimeout: 300_000, fileParallelism: false },
});
