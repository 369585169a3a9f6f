import { callApi } from '$lib/api/call-api'
import type { Host } from '$lib/api/types'

/** The machines that there are, as an administrator's browser read them last. */
class KnownHosts {
  list = $state<Host[]>([])

  /** Reads them anew; what is shown stays when that fails. For administrators, in the browser alone. */
  async load(): Promise<void> {
    const result = await callApi<Host[]>('GET', '/api/hosts')
    if (result.ok) this.list = result.data.filter(({ role }) => role === 'host')
  }

  /** Whether it matters on which an account is. */
  get several(): boolean {
    return this.list.length > 1
  }

  /** Those that an account on machine `id` could move to. */
  openBeside(id: number): Host[] {
    return this.list.filter((one) => one.id !== id && one.state === 'open')
  }

  /** Names as filters and forms take them. */
  get choices(): { value: string; label: string }[] {
    return this.list.map(({ name }) => ({ value: name, label: name }))
  }

  /** Empty until they were read. */
  nameOf(id: number): string {
    return this.list.find((one) => one.id === id)?.name ?? ''
  }
}

export const knownHosts = new KnownHosts()
