// Values of the picked body or contact in the shown state.
import type { RunInfo } from '../contract';
import { contactId, kContact, kContactSize, kPoseSize, kVelocitySize, type Chunk } from '../data/chunk';
import type { Frame } from '../data/frame_store';
import { kContactSymbols, kContactStates } from '../scene/palette';
import { el, setText } from './dom';
import { Facts, type Fact } from './facts';
import * as format from './format';
import { icon } from './icons';

export interface PickedActions {
  pickBody(body: number): void;
  pickContact(id: string): void;
  follow(): void;
  clear(): void;
}

const kMaxListed = 40;

export class PickedPanel {
  readonly element: HTMLElement;
  private readonly title = el('h2');
  private readonly subtitle = el('p', { class: 'muted' });
  private readonly facts = new Facts();
  private readonly contacts = el('ul', { class: 'contacts', 'aria-label': 'Contacts of the body' });
  private readonly followButton: HTMLButtonElement;
  private readonly bar: HTMLElement;
  private readonly bodyChoice: HTMLSelectElement;

  constructor(private readonly actions: PickedActions) {
    this.followButton = el('button', { class: 'toggle', title: 'Follow the body (f)', onclick: () => actions.follow() }, 'Follow');
    this.bar = el('div', { class: 'picked-bar' }, this.followButton,
      el('button', { class: 'icon small', 'aria-label': 'Unpick (Escape)', title: 'Unpick (Escape)', onclick: () => actions.clear() }, icon('close')));
    this.bodyChoice = el('select', {
      'aria-label': 'Body', onchange: () => (this.bodyChoice.value === '' ? actions.clear() : actions.pickBody(Number(this.bodyChoice.value))),
    });
    this.element = el('section', { class: 'panel picked', 'aria-label': 'Picked' },
      el('div', { class: 'picked-head' }, this.title, this.bar), this.bodyChoice, this.subtitle, this.facts.element, this.contacts);
  }

  setBodies(info: RunInfo): void {
    this.bodyChoice.replaceChildren(el('option', { value: '' }, 'Click one, or choose a body …'),
      ...info.bodies.map((body, i) => el('option', { value: i }, body.name)).filter((_, i) => info.bodies[i].shapes.length > 0 || !info.bodies[i].fixed));
  }

  showNothing(): void {
    this.head('Nothing picked', '', true);
    this.bodyChoice.hidden = false;
    this.bodyChoice.value = '';
    this.facts.show([]);
    this.contacts.replaceChildren();
  }

  showBody(info: RunInfo, frame: Frame, body: number, following: boolean): void {
    this.head(info.bodies[body].name, info.bodies[body].fixed ? 'does not move' : '', false);
    this.bodyChoice.hidden = false;
    if (this.bodyChoice.value !== String(body)) this.bodyChoice.value = String(body);
    this.followButton.hidden = false;
    this.followButton.setAttribute('aria-pressed', String(following));

    const { chunk, row } = frame;
    const index = row * chunk.bodies + body;
    const pose = chunk.pose.subarray(index * kPoseSize, (index + 1) * kPoseSize);
    const velocity = chunk.velocity.subarray(index * kVelocitySize, (index + 1) * kVelocitySize);
    const touching = contactsOf(frame, body);
    this.facts.show([...(info.planar ? planarFacts(pose, velocity) : spatialFacts(pose, velocity)), forceFact(chunk, touching, body, info.planar)]);
    this.listContacts(info, chunk, touching, body);
  }

  /** `contact` is -1 if the contact is not in the shown state. */
  showContact(info: RunInfo, frame: Frame, contact: number, names: [string, string]): void {
    const { chunk } = frame;
    this.bodyChoice.hidden = true;
    this.followButton.hidden = true;
    this.contacts.replaceChildren();
    if (contact < 0) {
      this.head(`${names[0]} on ${names[1]}`, 'not in this state', false);
      this.facts.show([]);
      return;
    }
    const state = Math.min(chunk.contactState[contact], 2);
    this.head(`${names[0]} on ${names[1]}`, `${kContactSymbols[state]} ${kContactStates[state]}`, false);
    this.facts.show(contactFacts(chunk, contact, info.planar));
  }

  private head(title: string, subtitle: string, empty: boolean): void {
    setText(this.title, title);
    setText(this.subtitle, subtitle);
    this.subtitle.hidden = subtitle === '';
    this.bar.hidden = empty;
  }

  private listContacts(info: RunInfo, chunk: Chunk, contacts: number[], body: number): void {
    const items = contacts.slice(0, kMaxListed).map((c) => {
      const [a, b] = chunk.contactBodies.subarray(2 * c, 2 * c + 2);
      const partner = info.bodies[a === body ? b : a].name;
      const state = Math.min(chunk.contactState[c], 2);
      const normal = chunk.contact[c * kContactSize + kContact.force];
      return { id: contactId(chunk, c), text: `${partner}`, sign: kContactSymbols[state], state, force: `${format.number(normal)} N` };
    });
    const key = items.map((item) => item.id).join();
    if (this.contacts.dataset.key !== key || this.contacts.childElementCount !== items.length) {
      this.contacts.dataset.key = key;
      this.contacts.replaceChildren(...items.map(({ id, text }) => el('li', {},
        el('button', { onclick: () => this.actions.pickContact(id) }, el('i'), el('span', {}, text), el('b')))));
    }
    items.forEach((item, i) => {
      const [sign, , force] = this.contacts.children[i].firstElementChild!.children;
      setText(sign as HTMLElement, item.sign);
      sign.className = `state-${item.state}`;
      (sign as HTMLElement).title = kContactStates[item.state];
      setText(force as HTMLElement, item.force);
    });
  }
}

function contactsOf(frame: Frame, body: number): number[] {
  const { chunk, row } = frame;
  const found: number[] = [];
  for (let c = chunk.contactOffset[row]; c < chunk.contactOffset[row + 1]; ++c) {
    if (chunk.contactBodies[2 * c] === body || chunk.contactBodies[2 * c + 1] === body) found.push(c);
  }
  return found;
}

function fact(label: string, values: ArrayLike<number>, unit: string): Fact {
  return { label, values: format.vector(values), unit, exact: values };
}

function spatialFacts(pose: Float32Array, velocity: Float32Array): Fact[] {
  return [
    fact('position', pose.subarray(0, 3), 'm'),
    fact('orientation', pose.subarray(3, 7), ''),
    fact('velocity', velocity.subarray(0, 3), 'm/s'),
    fact('spin', velocity.subarray(3, 6), 'rad/s'),
  ];
}

/** A planar rotation is one angle, from the quaternion (cos θ/2, 0, 0, sin θ/2). */
function planarFacts(pose: Float32Array, velocity: Float32Array): Fact[] {
  return [
    fact('position', pose.subarray(0, 2), 'm'),
    fact('angle', [2 * Math.atan2(pose[6], pose[3])], 'rad'),
    fact('velocity', velocity.subarray(0, 2), 'm/s'),
    fact('spin', velocity.subarray(5, 6), 'rad/s'),
  ];
}

/** Sum of the contact forces on the body: as stored for body a, reversed for body b. */
function forceFact(chunk: Chunk, contacts: number[], body: number, planar: boolean): Fact {
  const sum = [0, 0, 0];
  for (const c of contacts) {
    const at = c * kContactSize;
    const n = chunk.contact.subarray(at + kContact.normal, at + kContact.normal + 3);
    const t = chunk.contact.subarray(at + kContact.tangent, at + kContact.tangent + 3);
    const o = [n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]];
    const f = chunk.contact.subarray(at + kContact.force, at + kContact.force + 3);
    const sign = chunk.contactBodies[2 * c] === body ? 1 : -1;
    for (let k = 0; k < 3; ++k) sum[k] += sign * (n[k] * f[0] + t[k] * f[1] + o[k] * f[2]);
  }
  return fact('force', planar ? sum.slice(0, 2) : sum, 'N');
}

function contactFacts(chunk: Chunk, contact: number, planar: boolean): Fact[] {
  const at = contact * kContactSize;
  const take = (start: number, length: number) => chunk.contact.subarray(at + start, at + start + length);
  const dimension = planar ? 2 : 3;
  const [fn, ft, fo, fr] = take(kContact.force, 4);
  const [vn, vt, vo, vr] = take(kContact.velocity, 4);
  const [mu, et, eo, er] = take(kContact.friction, 4);
  const facts = [
    fact('point', take(kContact.point, dimension), 'm'),
    fact('normal', take(kContact.normal, dimension), ''),
    fact('gap', [chunk.contact[at + kContact.gap]], 'm'),
    fact('normal force', [fn], 'N'),
    fact('friction', planar ? [ft] : [ft, fo], 'N'),
  ];
  if (er > 0) facts.push(fact('torque', [fr], 'N m'));
  facts.push(fact('normal speed', [vn], 'm/s'), fact('sliding', planar ? [vt] : [vt, vo], 'm/s'));
  if (!planar) facts.push(fact('pivoting', [vr], 'rad/s'));
  facts.push(fact('μ', [mu], ''), fact('e of t, o, r', [et, eo, er], ''));
  if (mu * fn > 0) {
    const used = Math.hypot(et > 0 ? ft / et : 0, eo > 0 ? fo / eo : 0, er > 0 ? fr / er : 0) / (mu * fn);
    facts.push(fact('friction used', [100 * used], '%'));
  }
  return facts;
}
