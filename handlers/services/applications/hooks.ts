import { isSameSecret, isSigned } from '../../domain/access/is-signed.ts'
import { randomId } from '../../domain/access/random-id.ts'
import { randomSecret } from '../../domain/access/random-secret.ts'
import { pushFault, readPushed } from '../../domain/applications/pushed.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { AppError, notFound } from '../../errors.ts'
import type { ApplicationHookRow } from '../../ports/store/application-store.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { requireActiveAccount, requireSettledAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { requireApplication, type Deployments } from './deployments.ts'

/** What came to the address of a hook. */
export interface HookCall {
  id: string
  body: Uint8Array<ArrayBuffer>
  /** `sha256=…`, of GitHub, Gitea and Forgejo. */
  signature: string | null
  /** The secret itself, as GitLab sends it. */
  token: string | null
  /** What it is about, in the host's words. */
  event: string | null
}

/** What became of it. */
export interface HookAnswer {
  /** The job that deploys; null: none does. */
  job_id: string | null
  /** Why none does. */
  reason: string | null
  accountId: number
  username: string
  name: string
}

/** Addresses at which hosts of repositories ask for deployments, each with a secret. */
export interface ApplicationHooks {
  /** Makes one, or takes the place of the one there is; nobody is told the secret again. */
  renew(accountId: number, name: string): Promise<{ id: string; secret: string }>
  /** One that is not there is no error. */
  remove(accountId: number, name: string): Promise<void>
  /** 404 where there is no such hook. */
  assertThere(id: string): Promise<void>
  /** 401 for a wrong secret, 404 for no hook, 409 where the account is not active, 429 where too much is asked for. */
  take(call: HookCall): Promise<HookAnswer>
}

const PUSHES: ReadonlySet<string> = new Set(['push', 'push hook', 'tag push hook'])

const isKnown = async (
  { secret }: ApplicationHookRow,
  { signature, token, body }: HookCall,
): Promise<boolean> => {
  if (signature !== null) return isSigned(signature, secret, body)
  return token !== null && isSameSecret(token, secret)
}

const messageOf = (body: Uint8Array): unknown => {
  if (body.length === 0) return null
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body))
  } catch {
    throw new AppError(400, 'The body is no JSON. Let the host send application/json.')
  }
}

export const createApplicationHooks = (
  deps: Pick<ServiceDeps, 'store' | 'clock'> & {
    jobs: Pick<Jobs, 'start'>
    deployments: Pick<Deployments, 'deploy'>
  },
): ApplicationHooks => {
  const { store, clock, jobs, deployments } = deps
  const find = async (id: string): Promise<ApplicationHookRow> => {
    const hook = await store.applicationHook(id)
    if (hook === null) throw notFound('There is no such hook.')
    return hook
  }
  return {
    async renew(accountId, name) {
      await requireSettledAccount(store, accountId)
      const { id: application_id } = await requireApplication(deps, accountId, name)
      const made = { id: randomId(), secret: randomSecret() }
      await store.putApplicationHook({
        ...{ application_id, ...made },
        created_at: timestamp(clock.nowMs()),
      })
      return made
    },
    async remove(accountId, name) {
      const { id } = await requireApplication(deps, accountId, name)
      await store.deleteApplicationHook(id)
    },
    async assertThere(id) {
      await find(id)
    },
    async take(call) {
      const hook = await find(call.id)
      if (!(await isKnown(hook, call)))
        throw new AppError(401, 'The secret of the hook is missing or wrong.')
      const application = await store.applicationById(hook.application_id)
      if (application === null) throw notFound('There is no such hook.')
      const { account_id: accountId, name, source_branch } = application
      const { username } = await requireActiveAccount(store, accountId)
      const about = { accountId, username, name }
      const none = (reason: string): HookAnswer => ({ job_id: null, reason, ...about })
      if (call.event !== null && !PUSHES.has(call.event.toLowerCase()))
        return none('Only pushes start deployments.')
      const fault = pushFault(readPushed(messageOf(call.body)), source_branch)
      if (fault !== null) return none(fault)
      const order = {
        ...{ kind: 'application.deploy', subject: `${username}/${name}`, accountId },
        ...{ resellerId: null, user: `account:${accountId}` },
      }
      const job_id = await jobs.start(order, (report) =>
        deployments.deploy(accountId, name, { who: 'hook' }, report),
      )
      return { job_id, reason: null, ...about }
    },
  }
}
