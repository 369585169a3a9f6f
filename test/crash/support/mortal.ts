import { unavailable } from '#handlers/errors.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { isStoreWrite } from './store-reads.ts'

/** Who dies; `gone` is an agent that stays away until it is started again. */
export type Victim = 'panel' | 'agent' | 'gone' | 'both'

/** Where: before or after what the `at`-th write or call to the host does. */
export interface Death {
  victim: Victim
  at: number
  when: 'before' | 'after'
}

/** The host agent of a rehearsal, which outlives panels. */
export interface Agent {
  ports: HostPorts
  up: boolean
  /** Loses what an agent holds in memory alone. */
  die(): void
}

/** One process of the panel: its store and its host, until it dies. */
export interface Life {
  store: Store
  host: HostPorts
  /** Names of all writes and calls to the host so far, in order. */
  events: string[]
  readonly dead: boolean
  /** Resolves when it dies. */
  death: Promise<void>
}

/** What a process that is gone still does. */
const never = (): Promise<never> => new Promise(() => undefined)

const ANSWER_LOST = 'The host agent broke off its answer.'

/** Lends a panel process its store and host, and ends it where `death` says. */
export const beginLife = (store: Store, agent: Agent, death: Death | null): Life => {
  const events: string[] = []
  let dead = false
  let tellDeath = (): void => undefined
  const died = new Promise<void>((resolve) => {
    tellDeath = resolve
  })

  /** Whether the event goes on. */
  const strike = (at: number, when: Death['when'], isCall: boolean): void => {
    if (death === null || death.at !== at || death.when !== when) return
    const { victim } = death
    if (victim !== 'panel') {
      agent.die()
      if (victim !== 'agent') agent.up = false
    }
    if (victim === 'panel' || victim === 'both') {
      dead = true
      tellDeath()
    } else if (isCall) throw unavailable(ANSWER_LOST)
  }

  const happen = async (
    name: string,
    isCall: boolean,
    work: () => Promise<unknown>,
  ): Promise<unknown> => {
    if (dead) return never()
    const at = events.push(name) - 1
    strike(at, 'before', isCall)
    if (dead) return never()
    if (isCall && !agent.up) throw unavailable('The host agent does not answer.')
    const result = await work()
    strike(at, 'after', isCall)
    return dead ? never() : result
  }

  const methods = <T extends object>(
    target: T,
    through: (name: string, work: () => Promise<unknown>) => Promise<unknown>,
  ): T =>
    new Proxy(target, {
      get(object, name) {
        const member: unknown = Reflect.get(object, name)
        if (typeof member !== 'function') return member
        return (...input: unknown[]) =>
          through(String(name), async () => {
            const result: unknown = await Reflect.apply(member, object, input)
            return result
          })
      },
    })

  const ports = Object.entries(agent.ports).map(([port, target]: [string, object]) => [
    port,
    methods(target, (name, work) => happen(`${port}.${name}`, true, work)),
  ])
  return {
    store: methods(store, async (name, work) => {
      if (isStoreWrite(name)) return happen(name, false, work)
      if (dead) return never()
      const result = await work()
      return dead ? never() : result
    }),
    // Every port of the agent was wrapped above.
    host: Object.fromEntries(ports) as unknown as HostPorts,
    events,
    get dead() {
      return dead
    },
    death: died,
  }
}
