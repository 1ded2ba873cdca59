// The picked body or contact of a run, and whether the camera follows it.
import type { Run } from './run';
import type { Picked } from './scene/stage';
import { PickedPanel } from './ui/picked_panel';
import type { Plots } from './ui/plots';

export type Pick =
  | { kind: 'body'; run: number; body: number }
  | { kind: 'contact'; run: number; id: string; bodies: [number, number] };

/** Interface of the page for picking. */
export interface PickingHost {
  runs: Run[];
  plots: Plots;
  /** Requests a redraw of the scene. */
  changed(): void;
  note(text: string): void;
}

export class Picking {
  readonly panel: PickedPanel;
  picked: Pick | undefined;
  following = false;

  constructor(private readonly host: PickingHost) {
    this.panel = new PickedPanel({
      pickBody: (body) => this.pick({ kind: 'body', run: this.picked?.run ?? 0, body }),
      pickContact: (id) => this.pickContactById(id),
      follow: () => this.toggleFollow(),
      clear: () => this.pick(undefined),
    });
  }

  pick(pick: Pick | undefined): void {
    const { runs, plots } = this.host;
    this.picked = pick;
    this.following = this.following && pick?.kind === 'body';
    runs.forEach(({ stage }, i) => stage.pickBody(pick?.kind === 'body' && pick.run === i ? pick.body : undefined));
    this.panel.setBodies(runs[pick?.run ?? 0].info);
    if (pick?.kind === 'contact') void this.loadContact(pick.run, pick.id);
    else plots.setContact(undefined, 0);
    this.host.changed();
  }

  /** Picks the object found at a point of the run's canvas. */
  pickFound(run: number, found: Picked): void {
    if (!found) this.pick(undefined);
    else if ('body' in found) this.pick({ kind: 'body', run, body: found.body });
    else this.pick({ kind: 'contact', run, ...this.host.runs[run].contactName(found.contact) });
  }

  toggleFollow(): void {
    if (this.picked?.kind !== 'body') return;
    this.following = !this.following;
    if (this.following) this.host.runs[this.picked.run].stage.lookAt(this.picked.body);
    this.host.changed();
  }

  /** The body of this run that the camera follows. */
  followedBody(run: number): number | undefined {
    return this.following && this.picked?.kind === 'body' && this.picked.run === run ? this.picked.body : undefined;
  }

  /** Index of the picked contact in the shown state of the run. */
  contactIn(run: number): number | undefined {
    if (this.picked?.kind !== 'contact' || this.picked.run !== run) return undefined;
    const contact = this.host.runs[run].contactIndex(this.picked.id);
    return contact < 0 ? undefined : contact;
  }

  showValues(): void {
    const pick = this.picked;
    const run = this.host.runs[pick?.run ?? 0];
    if (!pick || !run.shown) {
      this.panel.showNothing();
      return;
    }
    const { frame } = run.shown;
    if (pick.kind === 'body') this.panel.showBody(run.info, frame, pick.body, this.following);
    else {
      const names = pick.bodies.map((body) => run.info.bodies[body].name) as [string, string];
      this.panel.showContact(run.info, frame, run.contactIndex(pick.id), names);
    }
  }

  private pickContactById(id: string): void {
    const run = this.picked?.run ?? 0;
    const contact = this.host.runs[run].contactIndex(id);
    if (contact >= 0) this.pickFound(run, { contact });
  }

  private async loadContact(index: number, id: string): Promise<void> {
    const run = this.host.runs[index];
    try {
      const series = await run.source.contact(id);
      if (this.picked?.kind === 'contact' && this.picked.id === id) this.host.plots.setContact(series, run.info.step);
    } catch (error) {
      this.host.note((error as Error).message);
    }
  }
}
