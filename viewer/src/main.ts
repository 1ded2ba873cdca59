import 'uplot/dist/uPlot.min.css';
import './style.css';
import { App } from './app';
import type { Boot } from './contract';
import { ReportRunSource, ServedRunSource, type RunSource } from './data/run_source';
import { el } from './ui/dom';

function sourcesOf(boot: Boot): RunSource[] {
  if (boot.mode === 'report') return boot.runs.map((run) => new ReportRunSource(run));
  return boot.runs.map((path) => new ServedRunSource(path));
}

async function start(): Promise<App> {
  const page = document.getElementById('page')!;
  try {
    const boot = JSON.parse(document.getElementById('pawl-boot')!.textContent!) as Boot;
    return await App.open(page, boot, sourcesOf(boot));
  } catch (error) {
    page.replaceChildren(el('p', { class: 'fatal', role: 'alert' }, `This run cannot be shown: ${(error as Error).message}`));
    throw error;
  }
}

// Interface for programs that drive the page: films, images and tests (docs/viewer.md).
const ready = start();
ready.catch((error: unknown) => console.error(error));
Object.assign(window, {
  pawl: {
    ready: ready.then(() => undefined),
    show: async (time: number) => (await ready).showExactly(time),
    page: ready,
  },
});
