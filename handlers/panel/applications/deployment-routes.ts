import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import type { Caller } from '../access/caller.ts'
import { authorize } from '../access/policy.ts'
import { numberText } from '../frame/fields.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import {
  applicationSchema,
  deploymentSchema,
  listedDeployment,
  listedDeploymentSchema,
  shownApplication,
  shownDeploymentOf,
} from './schema.ts'

const params = z.object({ account_id: numberText('account_id'), name: z.string().max(64) })
const oneParams = params.extend({ deployment: z.string().max(64) })

const on = routesOf('Applications', { changes: 'develop' })
const NOT_FOUND = 'No such account or application.'
const NO_DEPLOYMENT = 'No such account, application or deployment.'
const NOT_ACTIVE = 'The account is not active.'
const NO_HOST = 'The host does not answer.'

const before = ({ params, caller }: Call<{ account_id: number }>): void =>
  authorize(caller, 'account', params.account_id)

const whoOf = ({ actingAdmin, username }: Caller): string => actingAdmin ?? username

/** What becomes of applications: deployed, started, stopped. */
export const deploymentRoutes = ({ applications, deployments }: Services) => {
  const about = async ({ params: { account_id, name } }: Call<z.output<typeof params>>) => {
    const { username } = await applications.get(account_id, name)
    return { subject: `${username}/${name}`, accountId: account_id }
  }
  return [
    on.account.post('/api/applications/:account_id/:name/deploy', {
      summary: 'Deploys an application',
      description:
        'Installs and builds in its folder, each for an hour at most, then starts it beside what runs and sends visitors to it once it answers; the pages of its domains are made anew. Where something fails what ran before goes on. One at a time: of those that wait the last asked for alone is carried out, the others are superseded.',
      params,
      data: deploymentSchema,
      errors: {
        404: NOT_FOUND,
        409: NOT_ACTIVE,
        422: 'Installation, build or start failed; the message has the end of what it wrote.',
        503: NO_HOST,
      },
      before,
      job: {
        kind: 'application.deploy',
        about,
        recover: async (job) => shownDeploymentOf(await deployments.ofJob(job.id)),
      },
      handle: async ({ params: { account_id, name }, caller, report }) =>
        shownDeploymentOf(
          await deployments.deploy(account_id, name, { who: whoOf(caller) }, report),
        ),
    }),
    on.account.post('/api/applications/:account_id/:name/start', {
      summary: 'Starts an application',
      description:
        'As it is recorded now, without installing or building; one that runs is started anew beside it, and visitors notice nothing.',
      params,
      data: applicationSchema,
      errors: {
        404: NOT_FOUND,
        409: `It is a site. ${NOT_ACTIVE}`,
        422: 'It did not answer in time; the message has the end of what it wrote.',
        503: NO_HOST,
      },
      before,
      job: { kind: 'application.start', about },
      async handle({ params: { account_id, name } }) {
        await deployments.start(account_id, name)
        return shownApplication(await applications.get(account_id, name))
      },
    }),
    on.account.post('/api/applications/:account_id/:name/stop', {
      summary: 'Stops an application',
      description:
        'Until it is started or deployed again, also when the host is started. A deployment that is under way is cancelled.',
      params,
      data: applicationSchema,
      errors: {
        404: NOT_FOUND,
        409: 'It is a site, or the account is being made or deleted.',
        503: NO_HOST,
      },
      before,
      async handle({ params: { account_id, name } }) {
        await deployments.stop(account_id, name)
        return shownApplication(await applications.get(account_id, name))
      },
    }),
    on.account.get('/api/applications/:account_id/:name/deployments', {
      summary: 'Lists the deployments of an application',
      description: 'Newest first: those under way, the last 20, and the last that went live.',
      params,
      data: z.array(listedDeploymentSchema),
      errors: { 404: NOT_FOUND },
      before,
      handle: async ({ params: { account_id, name } }) =>
        (await deployments.list(account_id, name)).map(listedDeployment),
    }),
    on.account.get('/api/applications/:account_id/:name/deployments/:deployment', {
      summary: 'Shows a deployment and what it wrote so far',
      params: oneParams,
      data: deploymentSchema,
      errors: { 404: NO_DEPLOYMENT },
      before,
      handle: async ({ params: { account_id, name, deployment } }) =>
        shownDeploymentOf(await deployments.get(account_id, name, deployment)),
    }),
    on.account.post('/api/applications/:account_id/:name/deployments/:deployment/restore', {
      summary: 'Makes an earlier release live again',
      description:
        'One of the last five releases that went live, as it was built then, with the settings and variables of today. It takes the place of what runs as every deployment does.',
      params: oneParams,
      data: deploymentSchema,
      errors: {
        404: NO_DEPLOYMENT,
        409: `Its release is not there any more. ${NOT_ACTIVE}`,
        422: 'It did not answer in time; the message has the end of what it wrote.',
        503: NO_HOST,
      },
      strict: true,
      before,
      job: {
        kind: 'application.deploy',
        about,
        recover: async (job) => shownDeploymentOf(await deployments.ofJob(job.id)),
      },
      handle: async ({ params: { account_id, name, deployment }, caller, report }) =>
        shownDeploymentOf(
          await deployments.deploy(
            account_id,
            name,
            { who: whoOf(caller), back: deployment },
            report,
          ),
        ),
    }),
    on.account.post('/api/applications/:account_id/:name/deployments/:deployment/cancel', {
      summary: 'Cancels a deployment',
      description: 'One that waits, fetches, installs or builds; what ran before goes on.',
      params: oneParams,
      data: z.object({ id: z.string(), cancelled: z.literal(true) }),
      errors: {
        404: NO_DEPLOYMENT,
        409: 'It has ended, or is being started already.',
        503: NO_HOST,
      },
      before,
      async handle({ params: { account_id, name, deployment } }) {
        await deployments.cancel(account_id, name, deployment)
        return { id: deployment, cancelled: true as const }
      },
    }),
  ]
}
