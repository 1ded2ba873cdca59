// The browser for tests: Debian's chromium with software rendering.
import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { App } from '../../src/app';

export const kChromium = process.env['PAWL_CHROMIUM'] ?? '/usr/bin/chromium';

export const hasChromium = existsSync(kChromium);

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: kChromium,
    args: ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox', '--disable-gpu-vsync'],
  });
}

export interface OpenOptions {
  width?: number;
  height?: number;
  dark?: boolean;
}

/** Opens the page and waits for its first frame; `consoleErrors` collects its console messages. */
export async function openPage(browser: Browser, address: string, options: OpenOptions = {}): Promise<{ page: Page; consoleErrors: string[] }> {
  const page = await browser.newPage({
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.dark ? 'dark' : 'light',
  });
  const consoleErrors: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isDriverMessage(message.text())) consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  await page.goto(address);
  await page.evaluate(async () => (await pawl.page).plotted);
  await drawn(page);
  return { page, consoleErrors };
}

/** Warnings of software rendering about its own speed. */
function isDriverMessage(text: string): boolean {
  return /GPU stall due to ReadPixels|software WebGL|GL Driver Message/i.test(text);
}

/** Waits until all requested changes are drawn, by counting frames and not by time. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(async () => (await pawl.page).afterFrame());
}

/** Waits until the page has drawn `count` more frames. */
export async function waitForFrames(page: Page, count: number): Promise<void> {
  await page.evaluate(async (more) => {
    const app = await pawl.page;
    const until = app.frames + more;
    while (app.frames < until) await new Promise(requestAnimationFrame);
  }, count);
}

declare global {
  const pawl: { ready: Promise<void>; show(time: number): Promise<void>; page: Promise<App> };
}
