// Playback controls: start, previous state, play, next state, end, loop, speed; and the shown time.
import { kSpeeds } from '../play/playback';
import { el, setText } from './dom';
import * as format from './format';
import { icon, setIcon, type Icon } from './icons';

export interface TransportActions {
  toggle(): void;
  step(states: number): void;
  start(): void;
  end(): void;
  setLoop(on: boolean): void;
  setSpeed(speed: number): void;
  /** Goes to the next or previous uncertified step. */
  goToUncertified(direction: 1 | -1): void;
}

export class Transport {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly clock = el('output', { class: 'clock', 'aria-label': 'Time' });
  private readonly stateText = el('span', { class: 'state-text' });
  private readonly uncertified: HTMLElement;
  private readonly uncertifiedCount = el('span');

  constructor(actions: TransportActions) {
    const button = (name: Icon, label: string, act: () => void) =>
      el('button', { class: 'icon', 'aria-label': label, title: label, onclick: act }, icon(name));
    this.play = button('play', 'Play (space)', () => actions.toggle());
    this.play.classList.add('primary');
    this.loop = button('loop', 'Loop (l)', () => actions.setLoop(this.loop.getAttribute('aria-pressed') !== 'true'));
    this.speed = el('select', {
      'aria-label': 'Speed', title: 'Speed (− and +)', onchange: () => actions.setSpeed(Number(this.speed.value)),
    }, ...kSpeeds.map((s) => el('option', { value: s }, format.speed(s))));
    this.uncertified = el('div', { class: 'uncertified', hidden: true },
      el('button', { class: 'icon small', 'aria-label': 'Previous uncertified step (p)', title: 'Previous uncertified step (p)',
        onclick: () => actions.goToUncertified(-1) }, '‹'),
      this.uncertifiedCount,
      el('button', { class: 'icon small', 'aria-label': 'Next uncertified step (n)', title: 'Next uncertified step (n)',
        onclick: () => actions.goToUncertified(1) }, '›'));
    this.element = el('div', { class: 'transport', role: 'group', 'aria-label': 'Playback' },
      button('first', 'To the start (Home)', () => actions.start()),
      button('previous', 'One state back (←)', () => actions.step(-1)),
      this.play,
      button('next', 'One state on (→)', () => actions.step(1)),
      button('last', 'To the end (End)', () => actions.end()),
      this.loop, this.speed, this.clock, this.stateText, this.uncertified);
  }

  show(playing: boolean, loop: boolean, speed: number, clock: string, state: string, uncertified: number): void {
    setIcon(this.play, playing ? 'pause' : 'play');
    this.play.setAttribute('aria-label', playing ? 'Pause (space)' : 'Play (space)');
    this.loop.setAttribute('aria-pressed', String(loop));
    if (this.speed.value !== String(speed)) this.speed.value = String(speed);
    setText(this.clock, clock);
    setText(this.stateText, state);
    this.uncertified.hidden = uncertified === 0;
    setText(this.uncertifiedCount, `${uncertified} not certified`);
  }
}
