// How long frames take, by quality: npm run measure. Measures, and asserts no time.
import { readFileSync } from 'node:fs';
import { it } from 'vitest';
import { kQualities } from '../../src/quality';
import { heap } from '../fixture/runs';
import { serve } from '../fixture/server';
import { framesMore, launch, openPage } from '../browser/browser';

const kFrames = 12;

it.each([100, 1000])('frames of a heap of %i balls', async (balls) => {
  const html = readFileSync(new URL('../../dist/page.html', import.meta.url), 'utf8');
  const server = await serve(html, [heap(balls, 100)]);
  const browser = await launch();
  const { page } = await openPage(browser, server.address);
  await page.keyboard.press('l');
  await page.keyboard.press('Space');
  for (let level = 0; level < kQualities.length; ++level) {
    await page.locator('[aria-label=Quality]').selectOption(String(level));
    await framesMore(page, 3);
    const start = await page.evaluate(async () => [performance.now(), (await pawl.page).frames]);
    await framesMore(page, kFrames);
    const end = await page.evaluate(async () => [performance.now(), (await pawl.page).frames]);
    const calls = await page.evaluate(async () => (await pawl.page).runs[0].stage.drawCalls);
    const time = (end[0] - start[0]) / (end[1] - start[1]);
    console.log(`${balls} balls, ${kQualities[level].name}: ${time.toFixed(0)} ms a frame, ${calls} draw calls`);
  }
  await browser.close();
  await server.close();
});
