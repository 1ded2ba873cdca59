// Frame times by quality: npm run measure. Measures only; asserts no times.
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'vitest';
import { kQualities } from '../../src/quality';
import { heap } from '../fixture/runs';
import { serve } from '../fixture/server';
import { waitForFrames, launch, openPage } from '../browser/browser';

const kFrames = 12;
const kTicksASecond = 100;

/** Processor time in s of all child processes: the cost of a frame even on a busy machine. */
function processorTime(): number {
  const parent = new Map<number, number>();
  const spent = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      // Fields from the process state on.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      parent.set(Number(name), Number(fields[1]));
      spent.set(Number(name), (Number(fields[11]) + Number(fields[12])) / kTicksASecond);
    } catch {
      // the process has ended
    }
  }
  const ours = (id: number | undefined): boolean => id !== undefined && (id === process.pid || ours(parent.get(id)));
  return [...spent].reduce((sum, [id, seconds]) => sum + (id !== process.pid && ours(id) ? seconds : 0), 0);
}

it.each([100, 1000])('frames of a heap of %i balls', async (balls) => {
  const html = readFileSync(new URL('../../dist/page.html', import.meta.url), 'utf8');
  const server = await serve(html, [heap(balls, 100)]);
  const browser = await launch();
  const { page } = await openPage(browser, server.address);
  await page.keyboard.press('l');
  await page.keyboard.press('Space');
  for (let level = 0; level < kQualities.length; ++level) {
    await page.locator('[aria-label=Quality]').selectOption(String(level));
    await waitForFrames(page, 3);
    const spent = processorTime();
    const start = await page.evaluate(async () => [performance.now(), (await pawl.page).frames]);
    await waitForFrames(page, kFrames);
    const end = await page.evaluate(async () => [performance.now(), (await pawl.page).frames]);
    const calls = await page.evaluate(async () => (await pawl.page).runs[0].stage.drawCalls);
    const time = (end[0] - start[0]) / (end[1] - start[1]);
    const cost = (1000 * (processorTime() - spent)) / (end[1] - start[1]);
    console.log(`${balls} balls, ${kQualities[level].name}: ${time.toFixed(0)} ms a frame, ${cost.toFixed(0)} ms of processor time, ${calls} draw calls`);
  }
  await browser.close();
  await server.close();
});
