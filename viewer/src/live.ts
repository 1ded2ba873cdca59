// A simulation that runs while it is shown.
import type { Control, LiveEvent } from './contract';
import { errorOf } from './data/run_source';
import { Run } from './run';
import { LivePanel } from './ui/live_panel';

/** Min interval between updates of the series and certificates of a live run. */
const kRefreshMilliseconds = 1000;

/** Interface of the page for a live run. */
export interface LiveHost {
  runs: Run[];
  goToEnd(): void;
  /** The run has advanced, or more of its data is known. */
  grown(): void;
  /** The run was restarted. */
  replace(run: Run): Promise<void>;
  loadSeries(): Promise<void>;
}

export class Live {
  readonly panel: LivePanel;
  /** The last event from the program. */
  last: LiveEvent | undefined;
  private opened: number | undefined;
  private reopening = false;
  private refreshing = false;
  private refreshAgain = false;

  constructor(private readonly host: LiveHost, private readonly smooth: boolean) {
    this.panel = new LivePanel((control) => void this.control(control), () => host.goToEnd());
  }

  listen(): void {
    const events = new EventSource('events');
    events.addEventListener('message', (message) => {
      this.last = JSON.parse(message.data as string) as LiveEvent;
      void this.changed();
    });
    events.addEventListener('error', () => this.panel.showError('The program does not answer; it may have been ended.'));
    events.addEventListener('open', () => this.panel.showError(''));
  }

  private async control(control: Control): Promise<void> {
    try {
      const answer = await fetch('control', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(control),
      });
      this.panel.showError(answer.ok ? '' : await errorOf(answer));
    } catch (error) {
      this.panel.showError((error as Error).message);
    }
  }

  /**
   * Reopens the run after a restart, which may also happen while the page is still opening the previous run.
   */
  private async changed(): Promise<void> {
    this.panel.show(this.last!, this.host.runs[0].info.parameters ?? []);
    this.opened ??= this.last!.run;
    if (this.reopening) return;
    this.reopening = true;
    try {
      while (this.opened !== this.last!.run) {
        this.opened = this.last!.run;
        await this.reopen();
      }
      this.grow(this.last!);
    } catch (error) {
      this.panel.showError((error as Error).message);
    } finally {
      this.reopening = false;
    }
  }

  private async reopen(): Promise<void> {
    const run = await Run.open(this.host.runs[0].source, this.smooth);
    this.panel.setParameters(run.info.parameters ?? []);
    await this.host.replace(run);
  }

  private grow(event: LiveEvent): void {
    const [run] = this.host.runs;
    if (event.states > run.store.stateCount) {
      run.store.grow(event.states, event.time);
      run.info = { ...run.info, states: event.states, end: event.time };
      this.host.grown();
    }
    void this.refresh();
  }

  /** Updates series and certificates while the run continues. */
  private async refresh(): Promise<void> {
    if (this.refreshing) {
      this.refreshAgain = true;
      return;
    }
    this.refreshing = true;
    try {
      const [run] = this.host.runs;
      const info = await run.source.info();
      if (run === this.host.runs[0]) {
        run.info = { ...info, states: Math.max(info.states, run.info.states), end: Math.max(info.end, run.info.end) };
        this.host.grown();
        await this.host.loadSeries();
      }
    } catch (error) {
      this.panel.showError((error as Error).message);
    }
    window.setTimeout(() => {
      this.refreshing = false;
      if (!this.refreshAgain) return;
      this.refreshAgain = false;
      void this.refresh();
    }, kRefreshMilliseconds);
  }
}
