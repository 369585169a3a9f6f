import type { ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { ACCOUNT } from '../frame/lookup.ts'
import { api, apiPath } from '../frame/panel-client.ts'
import { findApplication, findDeployment, NAME, type Deployment } from './find-application.ts'
import { readableText } from './log-command.ts'

/** What becomes of applications. */
export const deploymentCommands: ResourceSpec['commands'] = {
  deploy: {
    summary: 'install, build and start an application',
    note: 'It is started beside what runs, which goes on where something fails. berth app output shows what installation and build wrote.',
    args: [ACCOUNT, NAME],
    job: true,
    examples: ['berth app deploy alice shop'],
    async order({ panel, args: [account, name] }) {
      const { account_id } = await findApplication(panel, account, name)
      return {
        to: api`POST /api/applications/${account_id}/${name}/deploy`,
        done: (data) => {
          const { state } = data as Deployment
          console.log(
            state === 'live'
              ? `${name} is deployed and runs.`
              : 'A later deployment was asked for before the turn of this one came.',
          )
        },
      }
    },
  },
  repository: {
    summary: 'show where one pushes to the repository of an application',
    note: 'Of one that was made with --git push. Who pushes needs an SSH key of the account, or its password; a shell is not needed.',
    args: [ACCOUNT, NAME],
    examples: ['berth app repository alice shop'],
    async order({ panel, args: [account, name] }) {
      const { account_id } = await findApplication(panel, account, name)
      return {
        to: api`GET /api/applications/${account_id}/${name}/repository`,
        done: (data) => {
          const { url, reason } = data as { url: string | null; reason: string | null }
          console.log(url ?? reason ?? 'There is none.')
        },
      }
    },
  },
  hook: {
    summary: 'make the hook of an application: an address that its host of repositories calls',
    note: 'A push to its branch then deploys it. The secret is shown this once; a new one takes the place of the one before.',
    args: [ACCOUNT, NAME],
    examples: ['berth app hook alice shop'],
    async order({ panel, args: [account, name] }) {
      const { account_id } = await findApplication(panel, account, name)
      return {
        to: api`POST /api/applications/${account_id}/${name}/hook`,
        done: (data) => {
          const { path, secret } = known<{ path: string; secret: string }>(data, 'path', 'secret')
          console.log(`Path below the panel's address: ${path}\nSecret: ${secret}`)
        },
      }
    },
  },
  'hook-remove': {
    summary: 'remove the hook of an application',
    args: [ACCOUNT, NAME],
    examples: ['berth app hook-remove alice shop'],
    async order({ panel, args: [account, name] }) {
      const { account_id } = await findApplication(panel, account, name)
      return {
        to: api`DELETE /api/applications/${account_id}/${name}/hook`,
        done: `${name} has no hook any more.`,
      }
    },
  },
  start: {
    summary: 'start an application, or start it anew, without building',
    args: [ACCOUNT, NAME],
    job: true,
    examples: ['berth app start alice shop'],
    async order({ panel, args: [account, name] }) {
      const { account_id } = await findApplication(panel, account, name)
      return {
        to: api`POST /api/applications/${account_id}/${name}/start`,
        done: `${name} runs.`,
      }
    },
  },
  stop: {
    summary: 'stop an application until it is started again',
    args: [ACCOUNT, NAME],
    examples: ['berth app stop alice shop'],
    async order({ panel, args: [account, name] }) {
      const { account_id } = await findApplication(panel, account, name)
      return {
        to: api`POST /api/applications/${account_id}/${name}/stop`,
        done: `${name} is stopped.`,
      }
    },
  },
  deployments: listCommand<Deployment>({
    summary: 'list the deployments of an application',
    args: [ACCOUNT, NAME],
    examples: ['berth app deployments alice shop'],
    path: async ({ panel, args: [account, name] }) => {
      const { account_id } = await findApplication(panel, account, name)
      return apiPath`/api/applications/${account_id}/${name}/deployments`
    },
    columns: [
      ['ID', 'id'],
      ['ASKED FOR (UTC)', 'created_at'],
      ['ENDED', 'ended_at'],
      ['BY', 'who'],
      ['STATE', 'state', 'state'],
      ['COMMIT', 'commit'],
      ['PROBLEM', 'problem'],
    ],
    empty: 'It was not deployed yet. Deploy it: berth app deploy',
  }),
  output: {
    summary: 'show what installation and build of a deployment wrote',
    args: [ACCOUNT, NAME, ['[deployment]', 'as berth app deployments shows it; default: the last']],
    examples: ['berth app output alice shop'],
    async run({ panel, args: [account, name, which = ''], print }) {
      const application = await findApplication(panel, account, name)
      const deployment = await findDeployment(panel, application, which)
      print(deployment, () => {
        process.stdout.write(readableText(`${deployment.output}\n`))
        if (deployment.problem !== null) console.log(deployment.problem)
      })
    },
  },
  rollback: {
    summary: 'make an earlier release of an application live again',
    note: 'One of the last five that went live, as it was built then.',
    args: [ACCOUNT, NAME, ['<deployment>', 'as berth app deployments shows it']],
    job: true,
    examples: ['berth app rollback alice shop 5a1c9e0e-6d52-4a3c-9f6b-0d0f5a7f5b10'],
    async order({ panel, args: [account, name, which = ''] }) {
      const application = await findApplication(panel, account, name)
      const { id } = await findDeployment(panel, application, which)
      return {
        to: api`POST /api/applications/${application.account_id}/${name}/deployments/${id}/restore`,
        done: `${name} runs from that release again.`,
      }
    },
  },
  key: {
    summary: 'show the key that a private repository has to let in',
    note: 'Add it to the repository as a deploy key that may only read.',
    args: [ACCOUNT, NAME],
    examples: ['berth app key alice shop'],
    async order({ panel, args: [account, name] }) {
      const { account_id } = await findApplication(panel, account, name)
      return {
        to: api`POST /api/applications/${account_id}/${name}/deploy-key`,
        done: (data) => console.log((data as { public_key: string }).public_key),
      }
    },
  },
  cancel: {
    summary: 'cancel a deployment of an application',
    args: [ACCOUNT, NAME, ['[deployment]', 'as berth app deployments shows it; default: the last']],
    examples: ['berth app cancel alice shop'],
    async order({ panel, args: [account, name, which = ''] }) {
      const application = await findApplication(panel, account, name)
      const { id } = await findDeployment(panel, application, which)
      return {
        to: api`POST /api/applications/${application.account_id}/${name}/deployments/${id}/cancel`,
        done: 'It is being cancelled; what ran before goes on.',
      }
    },
  },
}
