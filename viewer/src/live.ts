// The line to a simulation that runs while it is shown.
import type { Control, LiveEvent } from './contract';
import { errorOf } from './data/run_source';

export class LiveLink {
  last: LiveEvent | undefined;

  constructor(
    onEvent: () => void,
    private readonly onError: (text: string) => void,
  ) {
    const events = new EventSource('events');
    events.addEventListener('message', (message) => {
      this.last = JSON.parse(message.data as string) as LiveEvent;
      onEvent();
    });
    events.addEventListener('error', () => onError('The program does not answer; it may have been ended.'));
    events.addEventListener('open', () => onError(''));
  }

  async control(control: Control): Promise<void> {
    try {
      const answer = await fetch('control', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(control),
      });
      this.onError(answer.ok ? '' : await errorOf(answer));
    } catch (error) {
      this.onError((error as Error).message);
    }
  }
}
