import { addedText } from '../../domain/text/added-text.ts'
import { isAppError } from '../../errors.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** How the deployment of a push goes on, for who pushed. */
export interface PushNews {
  /** Its deployment is in the store. */
  begun(deploymentId: string): void
  /** There will be none. */
  failed(error: unknown): void
}

/** Tells people who pushed what becomes of it, as long as they wait for it. */
export interface PushTelling {
  /** From now on that push is followed; `name`: of the application. */
  follow(pushId: string, name: string, hostId: number): PushNews
  /** Of a push that deploys nothing. Never rejects. */
  refuse(pushId: string, why: string, hostId: number): Promise<void>
  /** Tells what is new; to be called every few seconds. Never rejects. */
  step(): Promise<void>
}

interface Followed {
  hostId: number
  name: string
  deploymentId: string | null
  problem: string | null
  /** What of its output was told. */
  told: string
}

const sentenceOf = (error: unknown): string =>
  isAppError(error) ? error.message : 'It could not be begun. The panel shows why.'

/** Over the records of deployments, which the host is asked to pass on. */
export const createPushTelling = ({
  store,
  host,
}: Pick<ServiceDeps, 'store' | 'host'>): PushTelling => {
  const all = new Map<string, Followed>()
  const tell = async (
    hostId: number,
    id: string,
    text: string,
    ended: string | null,
  ): Promise<boolean> => {
    try {
      const said = { id, text: text.replaceAll('\0', ''), ended: ended?.slice(0, 2000) ?? null }
      return (await host.of(hostId).applications.tellPush(said)).heard
    } catch {
      // The panel shows it all the same; a host that is not there has nobody who waits.
      return false
    }
  }
  const next = async (one: Followed): Promise<[text: string, ended: string | null]> => {
    if (one.deploymentId === null) return ['', one.problem]
    const row = await store.deployment(one.deploymentId)
    if (row === null) return ['', `${one.name} is gone.`]
    const text = addedText(one.told, row.output)
    one.told = row.output
    if (row.ended_at === null) return [text, null]
    if (row.state === 'live') return [text, `${one.name} is live.`]
    if (row.state === 'superseded') return [text, 'A later deployment took its place.']
    return [text, row.problem ?? 'It failed.']
  }
  return {
    follow(pushId, name, hostId) {
      const one: Followed = { hostId, name, deploymentId: null, problem: null, told: '' }
      all.set(pushId, one)
      return {
        begun: (deploymentId) => void (one.deploymentId = deploymentId),
        failed: (error) => void (one.problem ??= sentenceOf(error)),
      }
    },
    async refuse(pushId, why, hostId) {
      await tell(hostId, pushId, '', why)
    },
    async step() {
      const telling = [...all].map(async ([id, one]) => {
        const [text, ended] = await next(one)
        const isHeard = await tell(one.hostId, id, text, ended)
        if (!isHeard || ended !== null) all.delete(id)
      })
      await Promise.allSettled(telling)
    },
  }
}
