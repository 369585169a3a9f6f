import type { HostPorts } from '../../ports/host/host.ts'
import type { WebServerPort } from '../../ports/host/web-server.ts'
import type { PanelHosts } from '../on-hosts/panel-hosts.ts'

/** What changes the sites of a host. */
const CHANGES: readonly (keyof WebServerPort)[] = ['apply', 'regenerate']

/** The same hosts; `changed` is called whenever the sites of one were told to change, also in vain. */
export const followedHosts = (host: PanelHosts, changed: () => void): PanelHosts => {
  const web = (webServer: WebServerPort): WebServerPort =>
    new Proxy(webServer, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (!CHANGES.some((one) => one === name) || typeof member !== 'function') return member
        return async (input: unknown): Promise<unknown> => {
          try {
            return (await Reflect.apply(member, target, [input])) as unknown
          } finally {
            changed()
          }
        }
      },
    })
  const ports = (given: HostPorts): HostPorts =>
    new Proxy(given, {
      get: (target, name) =>
        name === 'webServer' ? web(target.webServer) : (Reflect.get(target, name) as unknown),
    })
  return new Proxy(host, {
    get(target, name) {
      if (name === 'of') return (id: number) => ports(target.of(id))
      if (name === 'ofAccount') return (username: string) => ports(target.ofAccount(username))
      if (name === 'local') return ports(target.local)
      return Reflect.get(target, name) as unknown
    },
  })
}
