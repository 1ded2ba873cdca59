// The page in a browser, with synthetic runs whose values are all known.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heap, rollingBalls, type FixtureRun } from '../fixture/runs';
import { reportOf, serve } from '../fixture/server';
import { drawn, waitForFrames, hasChromium, launch, openPage, type OpenOptions } from './browser';
import { colourAt, difference, pictureOfScene, saturation } from './pixels';

const html = readFileSync(new URL('../../dist/page.html', import.meta.url), 'utf8');
const kUncertified = [{ state: 100, time: 1, status: 'approximate', reason: 'stalled' }];

let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launch();
});
afterAll(async () => browser?.close());

/** Opens a served page, calls `act`, and checks that the console stayed silent. */
async function onServed(runs: FixtureRun[], act: (page: Page, requests: string[]) => Promise<void>, options?: OpenOptions): Promise<void> {
  const server = await serve(html, runs);
  try {
    const { page, consoleErrors } = await openPage(browser, server.address, options);
    await act(page, server.requests);
    expect(consoleErrors).toEqual([]);
    await page.close();
  } finally {
    await server.close();
  }
}

const screenPositionOf = (page: Page, body: number) => page.evaluate(async (b) => (await pawl.page).runs[0].stage.screenOf(b), body);
const shownState = (page: Page) => page.evaluate(async () => (await pawl.page).runs[0].shown!.state);
const fact = (page: Page, label: string) =>
  page.locator(`.facts tr[data-fact="${label}"] span`).evaluateAll((spans) => spans.map((span) => Number((span as HTMLElement).title)));

async function clickAt(page: Page, place: { x: number; y: number }): Promise<void> {
  const area = (await page.locator('.stage canvas').first().boundingBox())!;
  await page.mouse.click(area.x + place.x, area.y + place.y);
  await drawn(page);
}

describe.skipIf(!hasChromium)('The page', () => {
  it('draws the bodies where they are', () => onServed([rollingBalls(3, 50)], async (page) => {
    const picture = await pictureOfScene(page);
    for (const body of [2, 3, 4]) {
      const { x, y } = await screenPositionOf(page, body);
      expect(saturation(colourAt(picture, x, y))).toBeGreaterThan(40);
    }
    expect(saturation(colourAt(picture, 8, picture.height - 60))).toBeLessThan(25);
  }));

  it('moves the bodies while it plays, and stops with the space bar', () => onServed([rollingBalls(3, 300)], async (page) => {
    const before = await pictureOfScene(page);
    await page.keyboard.press('Space');
    await waitForFrames(page, 8);
    await page.keyboard.press('Space');
    await drawn(page);
    const state = await shownState(page);
    expect(state).toBeGreaterThan(0);
    expect(difference(before, await pictureOfScene(page))).toBeGreaterThan(0.001);
    await drawn(page);
    expect(await shownState(page)).toBe(state);
  }));

  it('shows the state of the time that is clicked on the time line', () => onServed([rollingBalls(2, 301)], async (page) => {
    const area = (await page.locator('.time-line').boundingBox())!;
    const x = await page.evaluate(async () => (await pawl.page).timeLine.xOf(1.5));
    await page.mouse.click(area.x + x, area.y + 17);
    await drawn(page);
    expect(Math.abs((await shownState(page)) - 150)).toBeLessThanOrEqual(1);
  }));

  it('goes one state on and back with the arrows, to the ends with Home and End', () => onServed([rollingBalls(2, 301)], async (page) => {
    const press = async (key: string) => {
      await page.keyboard.press(key);
      await drawn(page);
      return shownState(page);
    };
    expect(await press('ArrowRight')).toBe(1);
    expect(await press('Shift+ArrowRight')).toBe(11);
    expect(await press('ArrowLeft')).toBe(10);
    expect(await press('End')).toBe(300);
    expect(await press('ArrowRight')).toBe(300);
    expect(await press('Home')).toBe(0);
  }));

  it('shows the numbers of the body that is clicked', () => onServed([rollingBalls(3, 300)], async (page) => {
    await page.evaluate(() => pawl.show(2));
    await page.locator('[data-option=markers]').click();
    await drawn(page);
    await clickAt(page, await screenPositionOf(page, 3));
    await expect.poll(() => page.locator('.picked h2').textContent()).toBe('ball2');
    expect(await fact(page, 'position')).toEqual([0.4, 0.3, 0.1].map(Math.fround));
    expect(await fact(page, 'velocity')).toEqual([Math.fround(0.2), 0, 0]);
    expect(await fact(page, 'spin')).toEqual([0, 2, 0]);
    const force = await fact(page, 'force');
    expect(force[0]).toBeCloseTo(0.5, 6);
    expect(force[2]).toBeCloseTo(9.81, 5);
    await page.keyboard.press('Escape');
    await drawn(page);
    expect(await page.locator('.picked h2').textContent()).toBe('Nothing picked');
  }));

  it('shows the numbers of the contact that is clicked, and plots its force', () => onServed([rollingBalls(3, 300)], async (page) => {
    await page.evaluate(() => pawl.show(1));
    await drawn(page);
    await clickAt(page, await page.evaluate(async () => {
      const [run] = (await pawl.page).runs;
      return run.stage.screenOfContact(run.contactIndex('2.0.4294967298'));
    }));
    expect(await page.locator('.picked h2').textContent()).toBe('ball2 on table');
    expect(await page.locator('.picked .muted').first().textContent()).toBe('▲ sliding');
    expect(await fact(page, 'normal force')).toEqual([Math.fround(9.81)]);
    expect(await fact(page, 'friction')).toEqual([0.5, 0]);
    const used = await fact(page, 'friction used');
    expect(used[0]).toBeCloseTo((100 * 0.5) / (0.4 * 9.81), 3);
    await page.locator('[aria-label="Force of the contact"] .chip').first().waitFor();
    expect(await page.locator('[aria-label="Force of the contact"] .chip b').first().textContent()).toBe('9.810');
  }));

  it('goes to a step that is not certified by a click on its mark, and by a key', () =>
    onServed([rollingBalls(2, 301, { uncertified: kUncertified })], async (page) => {
      const area = (await page.locator('.time-line').boundingBox())!;
      const x = await page.evaluate(async () => (await pawl.page).timeLine.xOf(1));
      await page.mouse.click(area.x + x + 3, area.y + 6);
      await drawn(page);
      expect(await shownState(page)).toBe(100);
      await page.keyboard.press('Home');
      await page.keyboard.press('n');
      await drawn(page);
      expect(await shownState(page)).toBe(100);
      expect(await page.locator('.badge').textContent()).toBe('▼ 1 of 300 steps not certified');
    }));

  it('moves the cursors of all plots with the time, and goes where a plot is clicked', () => onServed([rollingBalls(2, 301)], async (page) => {
    const cursors = () => page.locator('.plot-now').evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().left - line.parentElement!.getBoundingClientRect().left));
    const widths = await page.locator('.u-over').evaluateAll((plots) => plots.map((plot) => plot.clientWidth));
    await page.evaluate(() => pawl.show(1.5));
    const at = await cursors();
    expect(at).toHaveLength(4);
    at.forEach((x, i) => expect(x / widths[i]).toBeCloseTo(0.5, 1));
    const plot = (await page.locator('.u-over').nth(1).boundingBox())!;
    await page.mouse.click(plot.x + plot.width / 3, plot.y + plot.height / 2);
    await drawn(page);
    expect(Math.abs((await shownState(page)) - 100)).toBeLessThanOrEqual(2);
  }));

  it('asks for the series of the part of a plot that is dragged over', () => onServed([rollingBalls(2, 301)], async (page, requests) => {
    const plot = (await page.locator('.u-over').first().boundingBox())!;
    await page.mouse.move(plot.x + plot.width / 3, plot.y + 20);
    await page.mouse.down();
    await page.mouse.move(plot.x + (2 * plot.width) / 3, plot.y + 20, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => requests.filter((r) => r.includes('from=')).length).toBeGreaterThan(0);
    const query = new URLSearchParams(requests.find((r) => r.includes('from='))!.split('?')[1]);
    expect(Number(query.get('from'))).toBeCloseTo(1, 1);
    expect(Number(query.get('to'))).toBeCloseTo(2, 1);
  }));

  it('keeps a followed body where it is on the screen', () => onServed([rollingBalls(3, 300)], async (page) => {
    await page.evaluate(async () => (await pawl.page).picking.pick({ kind: 'body', run: 0, body: 4 }));
    await page.keyboard.press('f');
    await drawn(page);
    const before = await screenPositionOf(page, 4);
    await page.keyboard.press('End');
    await drawn(page);
    const after = await screenPositionOf(page, 4);
    expect(after.x).toBeCloseTo(before.x, 1);
    expect(after.y).toBeCloseTo(before.y, 1);
  }));

  it('draws a thousand bodies in a handful of calls', () => onServed([heap(1000, 20)], async (page) => {
    expect(await page.evaluate(async () => (await pawl.page).runs[0].stage.drawCalls)).toBeLessThanOrEqual(12);
  }));

  it('lowers its quality by itself where frames take long', () => onServed([heap(1000, 100)], async (page) => {
    const quality = () => page.locator('.cost').textContent();
    expect(await quality()).toContain('high');
    await page.keyboard.press('l');
    await page.keyboard.press('Space');
    await waitForFrames(page, 16);
    expect(await quality()).toContain('low');
    await page.locator('[aria-label=Quality]').selectOption('high');
    await waitForFrames(page, 1);
    expect(await quality()).toContain('high');
  }));

  it('opens a run of 100,000 states by fetching little of it, and scrubs anywhere', () => onServed([rollingBalls(2, 100_000)], async (page, requests) => {
    const states = (list: string[]) => list.reduce((sum, r) => sum + Number(/frames\?.*count=(\d+)/.exec(r)?.[1] ?? 0), 0);
    expect(states(requests)).toBeLessThan(500);
    for (const time of [900, 13.37, 555.5]) {
      const before = requests.length;
      await page.evaluate((t) => pawl.show(t), time);
      expect(Math.abs((await shownState(page)) - 100 * time)).toBeLessThanOrEqual(1);
      expect(states(requests.slice(before))).toBeLessThan(500);
    }
  }));

  it('is dark where the system is, and light at the press of a key', () => onServed([rollingBalls(2, 20)], async (page) => {
    const brightness = async () => {
      const picture = await pictureOfScene(page);
      return colourAt(picture, 20, 20).reduce((a, b) => a + b) / 3;
    };
    expect(await brightness()).toBeLessThan(90);
    await page.keyboard.press('t');
    await drawn(page);
    expect(await brightness()).toBeGreaterThan(200);
  }, { dark: true }));

  it.each([[1280, 800], [1920, 1080]])('clips nothing at %i × %i', (width, height) =>
    onServed([rollingBalls(4, 300, { uncertified: kUncertified })], async (page) => {
      await page.evaluate(() => pawl.show(1));
      await page.evaluate(async () => (await pawl.page).picking.pick({ kind: 'body', run: 0, body: 3 }));
      await drawn(page);
      const outside = await page.evaluate(() => [...document.querySelectorAll('button, select, h1, h2, .facts td, .badge, .clock, .chip, .uplot, .facts span')]
        .filter((e) => e.checkVisibility() && e.closest('dialog') === null).filter((e) => {
          const box = e.getBoundingClientRect();
          const side = e.closest('.side')?.getBoundingClientRect();
          if (side && (box.right > side.right || box.left < side.left)) return true;
          const cut = e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow !== 'visible';
          if (side && box.bottom > side.bottom) return false;  // further down, reachable by scrolling
          return cut || box.left < 0 || box.right > innerWidth || box.top < 0 || box.bottom > innerHeight;
        }).map((e) => `${e.tagName} ${e.className} ${e.textContent}`));
      expect(outside).toEqual([]);
    }, { width, height }));

  it('gives every button a name', () => onServed([rollingBalls(2, 20)], async (page) => {
    const nameless = await page.locator('button').evaluateAll((buttons) =>
      buttons.filter((b) => !b.getAttribute('aria-label') && !/\w/.test(b.textContent!)).map((b) => b.outerHTML));
    expect(nameless).toEqual([]);
  }));

  it('says what is wrong where a run cannot be had', async () => {
    const page = await browser.newPage();
    const file = join(tmpdir(), `pawl-page-${process.pid}.html`);
    writeFileSync(file, html.replace(/(id="pawl-boot">).*?(<\/script>)/s, '$1{"mode": "report", "runs": [{"frames": "AAAA"}]}$2'));
    await page.goto(`file://${file}`);
    expect(await page.locator('[role=alert]').textContent()).toContain('no header');
    rmSync(file);
    await page.close();
  });
});

describe.skipIf(!hasChromium)('A report', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-report-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('shows several runs side by side, at one time, without any request', async () => {
    const file = join(folder, 'report.html');
    const slower = rollingBalls(2, 101, { method: 'other' });
    writeFileSync(file, reportOf(html, [rollingBalls(2, 301), slower], 'thinned from 900 states to 301'));
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const requests: string[] = [];
    context.on('request', (request) => requests.push(request.url()));
    const page = await context.newPage();
    const consoleErrors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()));
    page.on('pageerror', (error) => consoleErrors.push(error.message));
    await page.goto(`file://${file}`);
    await page.evaluate(async () => (await pawl.page).plotted);
    await page.evaluate(() => pawl.show(0.8));
    const states = await page.evaluate(async () => (await pawl.page).runs.map((run) => run.shown!.state));
    expect(states).toEqual([80, 80]);
    await page.evaluate(() => pawl.show(3));
    expect(await page.evaluate(async () => (await pawl.page).runs.map((run) => run.shown!.state))).toEqual([300, 100]);
    expect(await page.locator('figcaption').allTextContents()).toEqual(['1 fixture · Rolling balls', '2 other · Rolling balls']);
    expect(await page.locator('[aria-label="Residual of each step"] .chip span').allTextContents()).toEqual(['residual 1', 'residual 2']);
    expect(await page.locator('.notes').textContent()).toBe('thinned from 900 states to 301');
    for (const index of [0, 1]) {
      const { x, y } = await page.evaluate(async (i) => (await pawl.page).runs[i].stage.screenOf(3), index);
      expect(saturation(colourAt(await pictureOfScene(page, index), x, y))).toBeGreaterThan(40);
    }
    expect(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([]);
    expect(consoleErrors).toEqual([]);
    await context.close();
  });
});
