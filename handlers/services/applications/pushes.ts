import { eachHost } from '../on-hosts/each-host.ts'
import type { HostPorts } from '../../ports/host/host.ts'
import { USUAL_BRANCH } from '../../domain/applications/application-place.ts'
import type { Push } from '../../ports/host/applications.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { Deployments } from './deployments.ts'
import { createPushTelling } from './push-telling.ts'

/** Deploys what was pushed to repositories of applications. */
export interface Pushes {
  /** Asks the host what was pushed since; to be called every few seconds, one call after the other. */
  take(): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'log'> & {
  jobs: Pick<Jobs, 'start'>
  deployments: Pick<Deployments, 'deploy'>
}

export const createPushes = ({ store, host, log, jobs, deployments }: Deps): Pushes => {
  /** Seen to, and the host does not know yet. */
  const done = new Map<number, string[]>()
  const telling = createPushTelling({ store, host })

  /** Begins the deployment, or says why there is none. */
  const see = async (
    hostId: number,
    { id, username, name, branch }: Push,
  ): Promise<string | null> => {
    const account = await store.accountByName(username)
    if (account !== null && account.host_id !== hostId)
      return 'Nothing is deployed: the account is not on this host.'
    if (account?.status !== 'active') return 'Nothing is deployed: the account is not active.'
    const application = await store.applicationByName(account.id, name)
    if (application?.source_push !== true)
      return `Nothing is deployed: ${name} is not made from what is pushed to it.`
    const built = application.source_branch ?? USUAL_BRANCH
    if (branch !== built) return `Nothing is deployed: ${name} is built from ${built}.`
    const order = {
      ...{ kind: 'application.deploy', subject: `${username}/${name}`, accountId: account.id },
      ...{ resellerId: null, user: `account:${account.id}` },
    }
    const news = telling.follow(id, name, hostId)
    const work = { who: 'git push', begun: (deployment: string) => news.begun(deployment) }
    try {
      await jobs.start(order, async (report) => {
        try {
          return await deployments.deploy(account.id, name, work, report)
        } catch (error) {
          news.failed(error)
          throw error
        }
      })
    } catch (error) {
      news.failed(error)
      throw error
    }
    return null
  }

  const takeFrom = async (hostId: number, { applications }: HostPorts): Promise<void> => {
    const waiting = await applications.pushes({ done: done.get(hostId) ?? [] })
    done.set(
      hostId,
      waiting.map(({ id }) => id),
    )
    for (const push of waiting) {
      try {
        const why = await see(hostId, push)
        if (why !== null) await telling.refuse(push.id, why, hostId)
      } catch (error) {
        // Such as too many jobs: who pushed can ask for it in the panel.
        log.warn('a push was not deployed', {
          username: push.username,
          name: push.name,
          error: String(error),
        })
      }
    }
  }

  return {
    async take() {
      await eachHost({ host, log }, 'a host was not asked for pushes', takeFrom)
      await telling.step()
    },
  }
}
