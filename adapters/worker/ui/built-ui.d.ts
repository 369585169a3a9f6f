/** The UI as `npm run build` leaves it for a server; what of Kit's types is used here. */
declare module '#built-ui/index.js' {
  export class Server {
    constructor(manifest: unknown)
    init(options: { env: Record<string, string> }): Promise<void>
    respond(request: Request, options: { getClientAddress(): string }): Promise<Response>
  }
}
declare module '#built-ui/manifest.js' {
  export const manifest: { appPath: string; assets: ReadonlySet<string> }
}
