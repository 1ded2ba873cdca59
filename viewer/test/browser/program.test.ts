// The page together with the program: it must show what the program wrote.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawn, waitForFrames, hasChromium, launch, openPage } from './browser';
import { colourAt, difference, pictureOfScene, saturation } from './pixels';

const program = process.env['PAWL_PROGRAM'] ?? '';
const scenes = fileURLToPath(new URL('../../../scenes/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pawl-viewer-'));

let browser: Browser;
beforeAll(async () => {
  if (hasChromium && program) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

function pawl_(...args: string[]): string {
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1e9 });
}

/** Exit code 1 means that a step is not certified; the file is written in any case. */
function run(scene: string, file: string, ...more: string[]): string {
  try {
    pawl_('run', join(scenes, scene), '-o', file, ...more);
  } catch (error) {
    if ((error as { status?: number }).status !== 1) throw error;
  }
  return join(folder, file);
}

/** Rows of `pawl export`, keyed by column name. */
function exportRows(file: string, ...more: string[]): Record<string, string>[] {
  const [head, ...rows] = pawl_('export', file, '--csv', ...more).trim().split('\n').filter((line) => !line.startsWith('#'));
  const names = head.split(',');
  return rows.map((row) => Object.fromEntries(row.split(',').map((value, i) => [names[i], value])));
}

/** Runs `pawl view` and opens its page; the console may contain only messages that match `expected`. */
async function viewing(what: string, act: (page: Page) => Promise<void>, expected?: RegExp): Promise<void> {
  const server = spawn(program, ['view', what, '--no-open'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const { page, consoleErrors } = await openPage(browser, await addressOf(server));
    await act(page);
    expect(consoleErrors.filter((text) => !expected?.test(text))).toEqual([]);
    await page.close();
  } finally {
    server.kill('SIGINT');
  }
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (data: Buffer) => {
      said += data.toString();
      const address = /http:\/\/\S+/.exec(said);
      if (address) resolve(address[0]);
    };
    server.stdout!.on('data', listen);
    server.stderr!.on('data', listen);
    server.on('exit', () => reject(new Error(`pawl view has ended: ${said}`)));
  });
}

const bodyIndex = (page: Page, name: string) =>
  page.evaluate(async (n) => (await pawl.page).runs[0].info.bodies.findIndex((body) => body.name === n), name);
const shownState = (page: Page) => page.evaluate(async () => (await pawl.page).runs[0].shown!.state);
const fact = (page: Page, label: string) =>
  page.locator(`.facts tr[data-fact="${label}"] span`).evaluateAll((spans) => spans.map((span) => Number((span as HTMLElement).title)));

async function goToState(page: Page, state: number): Promise<void> {
  await page.evaluate(async (s) => {
    const app = await pawl.page;
    app.runs[0].pinned = s;
    await app.afterFrame();
  }, state);
}

async function clickBody(page: Page, body: number): Promise<void> {
  const area = (await page.locator('.stage canvas').first().boundingBox())!;
  const { x, y } = await page.evaluate(async (b) => (await pawl.page).runs[0].stage.screenOf(b), body);
  await page.mouse.click(area.x + x, area.y + y);
  await drawn(page);
}

describe.skipIf(!hasChromium || !program)('pawl view', () => {
  let file: string;
  beforeAll(() => {
    if (program) file = run('papers/four_balls.yaml', 'four_balls.h5');
  });

  it('draws the balls of the first state, and moves them', () => viewing(file, async (page) => {
    const before = await pictureOfScene(page);
    for (const name of ['ball1', 'ball2', 'ball3', 'ball4']) {
      const { x, y } = await page.evaluate(async (b) => (await pawl.page).runs[0].stage.screenOf(b), await bodyIndex(page, name));
      expect(saturation(colourAt(before, x, y))).toBeGreaterThan(40);
    }
    await page.keyboard.press('Space');
    await waitForFrames(page, 6);
    await page.keyboard.press('Space');
    await drawn(page);
    expect(await shownState(page)).toBeGreaterThan(0);
    expect(difference(before, await pictureOfScene(page))).toBeGreaterThan(0.001);
  }));

  it('shows the numbers that pawl export writes, in every state looked at', () => viewing(file, async (page) => {
    const rows = exportRows(file);
    const body = await bodyIndex(page, 'ball1');
    await page.locator('[data-option=markers]').click();
    await drawn(page);
    for (const state of [0, 41, 100, rows.length - 1]) {
      await goToState(page, state);
      await clickBody(page, body);
      expect(await page.locator('.picked h2').textContent()).toBe('ball1');
      const column = (names: string[]) => names.map((name) => Math.fround(Number(rows[state][`ball1.${name}`])));
      expect(await page.evaluate(async () => (await pawl.page).playback.time)).toBe(Number(rows[state]['time']));
      expect(await fact(page, 'position')).toEqual(column(['x', 'y', 'z']));
      expect(await fact(page, 'velocity')).toEqual(column(['vx', 'vy', 'vz']));
      await page.keyboard.press('Escape');
    }
  }));

  it('reaches a step that is not certified by a click on its mark', async () => {
    const uncertified = run('papers/four_balls.yaml', 'uncertified.h5', '--set', 'run.tolerance=1e-17');
    await viewing(uncertified, async (page) => {
      const marks = await page.evaluate(async () => (await pawl.page).runs[0].info.uncertified);
      expect(marks.length).toBeGreaterThan(0);
      const mark = marks[0];
      const area = (await page.locator('.time-line').boundingBox())!;
      const x = await page.evaluate(async (t) => (await pawl.page).timeLine.xOf(t), mark.time);
      await page.mouse.click(area.x + x, area.y + 6);
      await drawn(page);
      expect(await shownState(page)).toBe(mark.state);
    });
  });

  it('simulates a scene while it shows it, and starts anew with another step', () => viewing(join(scenes, 'papers/four_balls.yaml'), async (page) => {
    const phase = () => page.locator('.phase').textContent();
    await expect.poll(phase, { timeout: 60_000 }).toBe('finished');
    await expect.poll(() => page.evaluate(async () => (await pawl.page).runs[0].store.stateCount)).toBe(201);
    await page.locator('.parameters [name="run.step"]').fill('0.01');
    await page.locator('.parameters [type=submit]').click();
    await expect.poll(() => page.evaluate(async () => (await pawl.page).runs[0].store.stateCount), { timeout: 60_000 }).toBe(101);
    await page.locator('.parameters [name="run.step"]').fill('-3');
    await page.locator('.parameters [type=submit]').click();
    await expect.poll(() => page.locator('.error').textContent()).toContain('step');
  }, /status of 400/));
});

describe.skipIf(!hasChromium || !program)('pawl report', () => {
  it('opens from a file, with two runs at one time, no request and no complaint', async () => {
    const files = ['stewart-trinkle', 'anitescu-potra'].map((method) => run('papers/four_balls.yaml', `${method}.h5`, '--set', `run.method=${method}`));
    pawl_('report', ...files, '-o', 'report.html');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const requests: string[] = [];
    const consoleErrors: string[] = [];
    context.on('request', (request) => requests.push(request.url()));
    const page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()));
    page.on('pageerror', (error) => consoleErrors.push(error.message));
    await page.goto(`file://${join(folder, 'report.html')}`);
    await page.evaluate(() => pawl.ready);
    await page.evaluate(() => pawl.show(0.5));
    const times = await page.evaluate(async () => (await pawl.page).runs.map(({ shown }) => shown!.frame.chunk.time[shown!.frame.row]));
    for (const time of times) expect(time).toBeCloseTo(0.5, 2);
    expect(times).toHaveLength(2);
    expect(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([]);
    expect(consoleErrors).toEqual([]);
    await context.close();
  });
});
