import type { PanelApp, PanelContext } from '#handlers/panel/deps.ts'

/** Leaves the one composed API where the UI's hooks find it; see `src/lib/server/panel-global.ts`. */
export const publishPanel = (app: PanelApp, setupNeedsToken: boolean): void => {
  const published = Object.assign(
    (request: Request, context: PanelContext): Promise<Response> => app(request, context),
    { setupOpen: async () => !(await app.setupDone()), setupNeedsToken },
  )
  Object.assign(globalThis, { [Symbol.for('berth.panel')]: published })
}
