import { api } from './fresh-api.ts'

/** Resolves when the host is asked, which then does nothing more for this panel, as for a process that is gone. */
export const hangAt = (port: keyof typeof api.host.ports, method: string): Promise<void> =>
  new Promise((resolve) => {
    const target = api.host.ports[port] as unknown as Record<string, unknown>
    const before = target[method]
    target[method] = () => {
      target[method] = before
      resolve()
      return new Promise<never>(() => undefined)
    }
  })
