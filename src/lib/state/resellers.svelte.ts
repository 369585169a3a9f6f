import { callApi } from '$lib/api/call-api'
import type { Reseller } from '$lib/api/types'
import { texts } from '$lib/texts'

/** The resellers that there are, as an administrator's browser read them last. */
class KnownResellers {
  list = $state<Reseller[]>([])

  /** Reads them anew; what is shown stays when that fails. For administrators, in the browser alone. */
  async load(): Promise<void> {
    const result = await callApi<Reseller[]>('GET', '/api/resellers?sort=username')
    if (result.ok) this.list = result.data
  }

  /** Ids as filters and forms take them; `none` is no reseller. */
  get choices(): { value: string; label: string }[] {
    return [
      { value: 'none', label: texts.resellers.noReseller },
      ...this.list.map(({ id, username }) => ({ value: String(id), label: username })),
    ]
  }

  /** Empty where there is none, or until they were read. */
  nameOf(id: number | null): string {
    return this.list.find((one) => one.id === id)?.username ?? ''
  }
}

export const knownResellers = new KnownResellers()
