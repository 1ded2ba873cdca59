// What the reader has picked: a body, or a contact, of one of the runs.

export type Pick =
  | { kind: 'body'; run: number; body: number }
  | { kind: 'contact'; run: number; id: string; bodies: [number, number] };
