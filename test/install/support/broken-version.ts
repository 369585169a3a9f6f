/** A version whose panel does not start: what changes of ours, text that stands in its file once. */
export const BROKEN_VERSION: readonly { file: string; from: string; to: string }[] = [
  // A migration that the earlier version does not know: only with the old store it starts again.
  {
    file: 'adapters/shared/store/migrate.ts',
    from: 'for (const { version, statements } of MIGRATIONS) {',
    to: "for (const { version, statements } of [...MIGRATIONS, { version: 9999, statements: ['CREATE TABLE newer (id INTEGER)'] }]) {",
  },
  // Once the store is open, so migrated.
  {
    file: 'adapters/node/panel/compose-panel.ts',
    from: '  const app = createPanelApp({\n',
    to: "  if (store !== undefined) throw new Error('broken on purpose')\n  const app = createPanelApp({\n",
  },
]
