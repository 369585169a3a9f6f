/** What only the listener knows of a request; never taken from a header. */
export interface PanelRequestContext {
  clientAddress: string
  /** Whether the browser's connection is TLS. */
  secure: boolean
}

/**
 * The composed API as the panel process leaves it on `globalThis`. Kit's build
 * carries its own copy of whatever it imports, so the UI takes the one running
 * application from there and imports nothing but types.
 */
export interface PanelGlobal {
  (request: Request, context: PanelRequestContext): Promise<Response>
  /** Whether the first administrator is still to be created. */
  setupOpen(): Promise<boolean>
  /** Whether setup asks for the token of `[panel] setup_token_file`. */
  readonly setupNeedsToken: boolean
}

/** The key on `globalThis`. */
export const PANEL_KEY: unique symbol = Symbol.for('berth.panel')
