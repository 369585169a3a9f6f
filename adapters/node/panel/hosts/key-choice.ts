import type { ReachedHost } from '#handlers/ports/host-links.ts'
import type { PanelIdentity, PanelKeys } from '../../link-trust/panel-identity.ts'

type Known = Pick<ReachedHost, 'link_id' | 'trust_version'>

/** By which of this panel's keys a host is called. */
export interface KeyChoice {
  /** In the order in which they are tried: the newest that the host must have heard of first. */
  of(host: Known): Promise<PanelIdentity[]>
  /** Runs `work` under the first keys that the host takes: its answer to others was lost, or the records are older. */
  byAny<T>(host: Known, work: (own: PanelIdentity) => Promise<T>): Promise<T>
  /** It takes these, whatever the records say. */
  found(linkId: string, own: PanelIdentity): void
  /** The records say again which it takes. */
  settled(linkId: string): void
}

export const createKeyChoice = (keys: PanelKeys): KeyChoice => {
  const foundBy = new Map<string, string>()
  const of: KeyChoice['of'] = async ({ link_id: id, trust_version: version }) => {
    await keys.current()
    const all = (await keys.all()).filter(({ since }) => since !== null)
    const found = foundBy.get(id)
    const first =
      all.find(({ entry }) => entry.id === found) ??
      all.find(({ since }) => since !== null && since <= version) ??
      all.at(-1)
    return all.toSorted((one, other) => Number(other === first) - Number(one === first))
  }
  const found: KeyChoice['found'] = (linkId, own) => void foundBy.set(linkId, own.entry.id)
  return {
    of,
    async byAny(host, work) {
      const [first, ...others] = await of(host)
      if (first === undefined) throw new Error('this panel has no keys')
      try {
        return await work(first)
      } catch (error) {
        for (const own of others) {
          const done = await work(own).then(
            (value) => ({ value }),
            () => null,
          )
          if (done === null) continue
          found(host.link_id, own)
          return done.value
        }
        throw error
      }
    },
    found,
    settled: (linkId) => void foundBy.delete(linkId),
  }
}
