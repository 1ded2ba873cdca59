// Keyboard shortcuts.

/** Calls the action of a key. Ignores keys typed into a field or used to press a button. */
export function listenToKeys(actions: Record<string, (event: KeyboardEvent) => void>): void {
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target.closest('input:not([type=range]), select, textarea, dialog')) return;
    if (event.key === ' ' && target.closest('button')) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
