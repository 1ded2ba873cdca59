// The page: its runs, their common time, and the panels around them.
import { Box3 } from 'three';
import type { Boot, UncertifiedStep } from './contract';
import type { RunSource } from './data/run_source';
import { Live } from './live';
import { Picking } from './picking';
import { kSpeeds, Playback, speedFor } from './play/playback';
import { drawsInSoftware, kQualities, QualityController } from './quality';
import { Run } from './run';
import type { Stage } from './scene/stage';
import * as format from './ui/format';
import { helpDialog } from './ui/help';
import { listenToKeys } from './ui/keys';
import { Layout } from './ui/layout';
import { Plots, runLabel } from './ui/plots';
import { runPanel } from './ui/run_panel';
import { ThemeSwitch } from './ui/theme';
import { TimeLine } from './ui/time_line';
import { Transport } from './ui/transport';
import { kDefaultOptions, ViewPanel } from './ui/view_panel';

const kMaxFrameSeconds = 0.1;  // s; limits the time jump after a suspended tab

export class App {
  /** Frames drawn so far; programs that drive the page wait on it. */
  frames = 0;

  readonly playback = new Playback(0, 1);
  readonly timeLine = new TimeLine();
  readonly plots: Plots;
  /** Resolves once there is data to plot; the scene does not wait for it. */
  readonly plotted: Promise<void>;
  readonly picking: Picking;

  private readonly theme = new ThemeSwitch();
  private readonly qualityController = new QualityController();
  private readonly options = { ...kDefaultOptions };
  private readonly layout: Layout;
  private readonly transport: Transport;
  private readonly help = helpDialog();
  private readonly live: Live | undefined;
  private chosenQuality: number | undefined;
  private zoom: { from: number; to: number } | undefined;
  private until = 0;
  private speedChosen = false;
  /** The end of a live run is followed until the user seeks elsewhere. */
  private atEdge = false;
  private direction = 1;
  private dirty = true;
  private between = false;
  private lastTick = 0;
  private drewLast = false;
  private frameTime = 0;
  private drawn: (() => void)[] = [];

  static async open(page: HTMLElement, boot: Boot, sources: RunSource[]): Promise<App> {
    const smooth = boot.film === true || !drawsInSoftware();
    const runs = await Promise.all(sources.map((source) => Run.open(source, smooth)));
    const app = new App(page, boot, runs);
    await app.afterFrame();
    return app;
  }

  private constructor(page: HTMLElement, boot: Boot, public runs: Run[]) {
    this.plots = new Plots({
      seek: (time) => this.seek(time),
      zoom: (from, to) => this.setZoom({ from, to }),
      zoomOut: () => this.setZoom(undefined),
    });
    this.transport = new Transport({
      toggle: () => this.toggle(),
      step: (states) => this.step(states),
      start: () => this.seek(this.playback.start),
      end: () => this.goToEnd(),
      setLoop: (on) => this.change(() => (this.playback.loop = on)),
      setSpeed: (speed) => this.setSpeed(speed),
      goToUncertified: (direction) => this.goToUncertified(direction),
    });
    this.picking = new Picking(this);
    const panels = [new ViewPanel(this.options, () => this.applyOptions()).element, this.picking.panel.element];
    if (boot.mode === 'served' && boot.live) {
      this.live = new Live(this, !drawsInSoftware());
      panels.unshift(this.live.panel.element);
      this.atEdge = true;
    }
    this.layout = new Layout(page, {
      transport: this.transport.element, timeLine: this.timeLine.element, plots: this.plots.element, panels,
      toggleTheme: () => this.theme.toggle(),
      setQuality: (level) => this.setQuality(level),
      frameAll: () => this.frameAll(),
      showHelp: () => this.help.showModal(),
      resized: () => this.resize(),
    });
    page.append(this.help);
    if (boot.mode === 'report' && boot.notes) this.layout.note(boot.notes);
    if (boot.film) {
      document.body.classList.add('film');
      this.chosenQuality = 0;
    }

    this.timeLine.onSeek = (time) => this.seek(time);
    this.theme.onChange = () => this.applyTheme();
    this.listenToKeys();
    this.addRuns();
    this.live?.listen();
    this.plotted = this.loadSeries();
    this.plotted.catch((error: Error) => this.layout.note(error.message));
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Pauses and shows this time, interpolated between states; resolves once it is drawn. */
  async showExactly(time: number): Promise<void> {
    this.playback.playing = false;
    this.moveTo(time);
    this.between = true;
    for (const run of this.runs) run.shown = undefined;
    await this.afterFrame();
  }

  /** Resolves once a frame with all requested changes has been drawn. */
  afterFrame(): Promise<void> {
    this.dirty = true;
    return new Promise((resolve) => this.drawn.push(resolve));
  }

  seek(time: number): void {
    this.atEdge = false;
    this.moveTo(time);
  }

  private moveTo(time: number): void {
    this.change(() => {
      this.direction = time < this.playback.time ? -1 : 1;
      this.between = false;
      for (const run of this.runs) run.pinned = undefined;
      this.playback.goTo(time);
    });
  }

  goToEnd(): void {
    this.atEdge = this.live !== undefined;
    this.moveTo(this.playback.end);
  }

  private toggle(): void {
    this.change(() => {
      this.atEdge = false;
      for (const run of this.runs) run.pinned = undefined;
      this.playback.toggle();
    });
  }

  /** Steps through the states of the first run; other runs show the same time. */
  private step(states: number): void {
    const [run] = this.runs;
    const from = run.pinned ?? run.shown?.state ?? 0;
    this.change(() => {
      this.playback.playing = false;
      this.atEdge = false;
      this.between = false;
      this.direction = Math.sign(states);
      run.pinned = Math.min(Math.max(from + states, 0), run.store.stateCount - 1);
    });
  }

  private setSpeed(speed: number): void {
    this.speedChosen = true;
    this.change(() => (this.playback.speed = speed));
  }

  private goToUncertified(direction: 1 | -1): void {
    const marks = this.marks();
    const { time } = this.playback;
    const next = direction > 0 ? marks.find((mark) => mark.time > time) : marks.filter((mark) => mark.time < time).pop();
    if (next) this.seek(next.time);
  }

  private marks(): UncertifiedStep[] {
    return this.runs.flatMap((run) => run.info.uncertified).sort((a, b) => a.time - b.time);
  }

  private change(what: () => void): void {
    what();
    this.dirty = true;
  }

  // Runs

  private addRuns(): void {
    this.layout.setStages(this.runs.map(({ stage, info }, i) => (
      { element: stage.element, caption: this.runs.length > 1 ? `${runLabel(info, i)} · ${info.name}` : '' })));
    this.runs.forEach((run, i) => {
      run.store.onChunk = () => (this.dirty = true);
      run.store.onError = (error) => this.layout.note(error.message);
      this.connectStage(run.stage, i);
    });
    this.picking.panel.setBodies(this.runs[0].info);
    this.applyTheme();
    this.applyOptions();
    this.applyQuality();
    this.resize();
    this.frameAll();
    this.setSpan();
  }

  private connectStage(stage: Stage, index: number): void {
    stage.rig.onChange = () => {
      this.dirty = true;
      for (const other of this.runs) if (other.stage !== stage) other.stage.rig.copy(stage.rig);
    };
    let pressed = { x: 0, y: 0 };
    stage.canvas.addEventListener('pointerdown', (event) => (pressed = { x: event.clientX, y: event.clientY }));
    stage.canvas.addEventListener('click', (event) => {
      if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 4) return;
      const area = stage.canvas.getBoundingClientRect();
      this.picking.pickFound(index, stage.pickAt(event.clientX - area.left, event.clientY - area.top));
    });
  }

  /** Sets the time span common to all runs. */
  private setSpan(): void {
    this.playback.start = Math.min(...this.runs.map((run) => run.info.start));
    this.playback.end = Math.max(...this.runs.map((run) => run.info.end));
    this.until = Math.max(this.playback.end, this.live?.last?.until ?? 0);
    this.playback.goTo(this.playback.time);
    if (!this.speedChosen) this.playback.speed = speedFor(this.until - this.playback.start);
    this.timeLine.setRun(this.playback.start, this.until, this.playback.end, this.marks());
    this.layout.setTitle(this.runs.map((run) => run.info));
    this.layout.setRunPanels(this.runs.map((run, i) => runPanel(run.info, this.runs.length > 1 ? runLabel(run.info, i) : 'Run')));
    this.dirty = true;
  }

  async loadSeries(): Promise<void> {
    await Promise.all(this.runs.map((run) => run.loadSeries(this.zoom?.from, this.zoom?.to)));
    this.plotRuns();
  }

  private plotRuns(): void {
    const { from, to } = this.zoom ?? { from: this.playback.start, to: this.until };
    this.plots.setRuns(this.runs, from, to);
    this.dirty = true;
  }

  private setZoom(zoom: { from: number; to: number } | undefined): void {
    this.zoom = zoom;
    this.plotRuns();
    void this.loadSeries().catch((error: Error) => this.layout.note(error.message));
  }

  // Called by live runs and by picking

  grown(): void {
    this.setSpan();
    if (this.atEdge) this.moveTo(this.playback.end);
  }

  async replace(run: Run): Promise<void> {
    const [old] = this.runs;
    this.runs = [run];
    this.zoom = undefined;
    this.addRuns();
    run.stage.rig.copy(old.stage.rig);
    old.stage.dispose();
    this.picking.pick(undefined);
    this.atEdge = true;
    await this.loadSeries();
  }

  changed(): void {
    this.dirty = true;
  }

  note(text: string): void {
    this.layout.note(text);
  }

  // Appearance

  /** All runs share one view. */
  private frameAll(): void {
    const box = this.runs.reduce((all, { stage }) => all.union(stage.box), new Box3());
    for (const { stage } of this.runs) stage.rig.frame(box);
    this.dirty = true;
  }

  private applyTheme(): void {
    for (const { stage } of this.runs) stage.setTheme(this.theme.theme);
    this.plots.setTheme(this.theme.theme);
    this.timeLine.draw();
    this.dirty = true;
  }

  private applyOptions(): void {
    for (const { stage } of this.runs) stage.setOptions({ ...this.options });
    this.dirty = true;
  }

  private setQuality(level: number | undefined): void {
    this.chosenQuality = level;
    this.applyQuality();
  }

  private applyQuality(): void {
    for (const { stage } of this.runs) stage.setQuality(kQualities[this.quality]);
    this.dirty = true;
  }

  private get quality(): number {
    return this.chosenQuality ?? this.qualityController.level;
  }

  private resize(): void {
    for (const { stage } of this.runs) stage.resize();
    this.timeLine.draw();
    this.dirty = true;
  }

  private listenToKeys(): void {
    const speed = (by: number) => {
      const at = kSpeeds.indexOf(this.playback.speed) + by;
      this.setSpeed(kSpeeds[Math.min(Math.max(at, 0), kSpeeds.length - 1)]);
    };
    listenToKeys({
      ' ': () => this.toggle(),
      ArrowLeft: (event) => this.step(event.shiftKey ? -10 : -1),
      ArrowRight: (event) => this.step(event.shiftKey ? 10 : 1),
      Home: () => this.seek(this.playback.start),
      End: () => this.goToEnd(),
      '-': () => speed(-1),
      '+': () => speed(1),
      l: () => this.change(() => (this.playback.loop = !this.playback.loop)),
      p: () => this.goToUncertified(-1),
      n: () => this.goToUncertified(1),
      f: () => this.picking.toggleFollow(),
      r: () => this.frameAll(),
      t: () => this.theme.toggle(),
      Escape: () => this.picking.pick(undefined),
      '?': () => this.help.showModal(),
    });
  }

  // Drawing

  private tick(now: number): void {
    const seconds = (now - this.lastTick) / 1000;
    this.lastTick = now;
    if (this.playback.playing) this.play(Math.min(seconds, kMaxFrameSeconds));
    if (this.dirty) {
      if (this.drewLast && this.playback.playing) this.measure(seconds);
      this.draw();
      this.drewLast = true;
    } else this.drewLast = false;
    requestAnimationFrame((next) => this.tick(next));
  }

  /** Time stops while states are being fetched. */
  private play(seconds: number): void {
    this.direction = 1;
    this.between = true;
    const ready = this.runs.every((run) => run.frameAt(this.playback.time, true));
    if (ready) this.playback.advance(seconds);
    if (!this.playback.playing) this.between = false;
    this.dirty = true;
  }

  private measure(seconds: number): void {
    this.frameTime = this.frameTime === 0 ? seconds : 0.8 * this.frameTime + 0.2 * seconds;
    if (this.chosenQuality === undefined && this.qualityController.addFrameTime(seconds)) this.applyQuality();
  }

  private draw(): void {
    this.dirty = false;
    let complete = true;
    this.runs.forEach((run, index) => {
      run.prefetch(this.playback.time, this.direction);
      const shown = run.frameAt(this.playback.time, this.between);
      if (shown) {
        run.shown = shown;
        if (run.pinned !== undefined) this.playback.goTo(shown.frame.chunk.time[shown.frame.row]);
        run.stage.show(shown, this.picking.followedBody(index));
        run.stage.pickContact(this.picking.contactIn(index));
      } else complete = false;
      run.stage.draw();
    });
    ++this.frames;
    this.showValues();
    if (complete) this.drawn.splice(0).forEach((resolve) => resolve());
  }

  private showValues(): void {
    const { time } = this.playback;
    const [first] = this.runs;
    const clock = format.time(time, first.info.step);
    const state = first.shown ? `state ${first.shown.state} of ${first.store.stateCount - 1}` : 'loading …';
    this.transport.show(this.playback.playing, this.playback.loop, this.playback.speed, clock, state, this.marks().length);
    this.timeLine.show(time, clock);
    this.plots.show(time);
    this.picking.showValues();
    const calls = this.runs.reduce((sum, run) => sum + run.stage.drawCalls, 0);
    const rate = this.playback.playing && this.frameTime > 0 ? `${(1 / this.frameTime).toFixed(0)} fps · ` : '';
    this.layout.showCost(`${rate}${calls} draw calls · ${kQualities[this.quality].name}`);
    this.live?.panel.showEdge(this.atEdge);
  }
}
