import { USUAL_BRANCH } from '../../domain/applications/application-place.ts'
import type { Push } from '../../ports/host/applications.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { Deployments } from './deployments.ts'

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
  let done: string[] = []

  const see = async ({ username, name, branch }: Push): Promise<void> => {
    const account = await store.accountByName(username)
    if (account?.status !== 'active') return
    const application = await store.applicationByName(account.id, name)
    if (application?.source_push !== true) return
    if (branch !== (application.source_branch ?? USUAL_BRANCH)) return
    const order = {
      ...{ kind: 'application.deploy', subject: `${username}/${name}`, accountId: account.id },
      ...{ resellerId: null, user: `account:${account.id}` },
    }
    await jobs.start(order, (report) =>
      deployments.deploy(account.id, name, { who: 'git push' }, report),
    )
  }

  return {
    async take() {
      const waiting = await host.applications.pushes({ done })
      done = []
      for (const push of waiting) {
        try {
          await see(push)
        } catch (error) {
          // Such as too many jobs: who pushed can ask for it in the panel.
          log.warn('a push was not deployed', {
            username: push.username,
            name: push.name,
            error: String(error),
          })
        }
        done.push(push.id)
      }
    },
  }
}
