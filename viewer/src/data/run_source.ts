// Source of the data of a run: the program that serves the page, or the page itself (a report).
import type { ContactSeries, ReportRun, RunInfo, Series, Wrench } from '../contract';
import { decodeChunk, findContact, kContact, kContactSize, type Chunk } from './chunk';

export interface RunSource {
  info(): Promise<RunInfo>;
  frames(first: number, count: number): Promise<Chunk>;
  /** The whole run, or its part between `from` and `to`. */
  series(points: number, from?: number, to?: number): Promise<Series>;
  contact(id: string): Promise<ContactSeries>;
}

export class ServedRunSource implements RunSource {
  constructor(private readonly path: string) {}

  info(): Promise<RunInfo> {
    return this.json('info');
  }

  async frames(first: number, count: number): Promise<Chunk> {
    const answer = await this.get(`frames?first=${first}&count=${count}`);
    return decodeChunk(await answer.arrayBuffer());
  }

  series(points: number, from?: number, to?: number): Promise<Series> {
    const range = from === undefined || to === undefined ? '' : `&from=${from}&to=${to}`;
    return this.json(`series?points=${points}${range}`);
  }

  contact(id: string): Promise<ContactSeries> {
    return this.json(`contact?id=${id}`);
  }

  private async json<T>(what: string): Promise<T> {
    return (await this.get(what)).json() as Promise<T>;
  }

  private async get(what: string): Promise<Response> {
    const answer = await fetch(`${this.path}/${what}`);
    if (!answer.ok) throw new Error(await errorOf(answer));
    return answer;
  }
}

/** The error message of a refused request. */
export async function errorOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const said: unknown = JSON.parse(text);
    if (said && typeof said === 'object' && 'error' in said) return String(said.error);
  } catch {
    // not JSON: use the text itself
  }
  return text || `${answer.status} ${answer.statusText}`;
}

export class ReportRunSource implements RunSource {
  private readonly chunk: Chunk;

  constructor(private readonly run: ReportRun) {
    this.chunk = decodeChunk(decodeBase64(run.frames));
  }

  /** A report contains one chunk; only its states count. */
  async info(): Promise<RunInfo> {
    return { ...this.run.info, states: this.chunk.count, chunk: Math.max(1, this.chunk.count) };
  }

  async frames(): Promise<Chunk> {
    return { ...this.chunk, first: 0 };
  }

  async series(): Promise<Series> {
    return this.run.series;
  }

  async contact(id: string): Promise<ContactSeries> {
    return contactSeriesOf(this.chunk, id);
  }
}

export function decodeBase64(text: string): ArrayBuffer {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

/** The history of a contact within a chunk. */
export function contactSeriesOf(chunk: Chunk, id: string): ContactSeries {
  const series: ContactSeries = { time: [], state: [], gap: [], force: [], velocity: [] };
  for (let row = 0; row < chunk.count; ++row) {
    const c = findContact(chunk, row, id);
    if (c < 0) continue;
    const at = c * kContactSize;
    const four = (start: number): Wrench => [...chunk.contact.subarray(at + start, at + start + 4)] as Wrench;
    series.time.push(chunk.time[row]);
    series.state.push(chunk.contactState[c]);
    series.gap.push(chunk.contact[at + kContact.gap]);
    series.force.push(four(kContact.force));
    series.velocity.push(four(kContact.velocity));
  }
  return series;
}
