import { CliError } from '../../cli-error.ts'
import { given, givenSome } from '../frame/command-options.ts'
import type { ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { ACCOUNT, findAccount, findDomain } from '../frame/lookup.ts'
import { api, apiPath } from '../frame/panel-client.ts'
import { APPLICATION_OPTIONS, settingsOf, variablesOf } from './application-options.ts'
import { deploymentCommands } from './deployment-commands.ts'
import { findApplication, NAME, type Application } from './find-application.ts'
import { logCommand } from './log-command.ts'
import { variableCommands } from './variable-commands.ts'

const START_HELP =
  'line of sh that runs it in the foreground; none: a site, served as files and by PHP'
const DOMAIN = ['<domain>', 'name or number'] as const

/** `berth app …`. */
export const applications: ResourceSpec = {
  name: 'app',
  alias: 'apps',
  summary: 'applications of accounts: programs behind the web server that go on running',
  commands: {
    list: listCommand<Application>({
      summary: 'list the applications of an account, or of all',
      args: [['[account]', 'username or number; default: all accounts']],
      options: [
        ['--runtime <kind>', 'only those of that runtime', { choices: ['node', 'python', 'none'] }],
      ],
      examples: ['berth app list alice', 'berth app list --runtime node'],
      path: async ({ panel, args: [name = ''] }) =>
        name === ''
          ? '/api/applications'
          : apiPath`/api/applications/${(await findAccount(panel, name)).id}`,
      query: ({ options }) => options.texts('runtime'),
      sortable: ['name', 'folder', 'username', 'created_at', 'deployment_at'],
      columns: [
        ['ACCOUNT', 'username'],
        ['NAME', 'name'],
        ['RUNTIME', 'runtime_kind'],
        ['FOLDER', 'folder'],
        ['STATE', 'state', 'state'],
        ['DEPLOYED (UTC)', 'deployment_at'],
        ['DEPLOYMENT', 'deployment_state', 'state'],
      ],
      empty: 'There are no applications. Make one: berth app create',
    }),
    show: {
      summary: 'show an application and how it is',
      args: [ACCOUNT, NAME],
      examples: ['berth app show alice shop'],
      order: async ({ panel, args: [account, name] }) => {
        const { account_id } = await findApplication(panel, account, name)
        return { to: api`GET /api/applications/${account_id}/${name}` }
      },
    },
    create: {
      summary: 'make an application',
      note: "It runs as the account's user, in its folder and in the limits of the account's programs, once it is deployed. It listens at the path in SOCKET, or with --listen port at 127.0.0.1 and the number in PORT. Of a site nothing runs: its domains are served from its last release.",
      args: [ACCOUNT, ['<name>', '1-32 of a-z, 0-9 and -, a letter first']],
      options: [
        ['--start <line>', START_HELP, { required: true }],
        ...APPLICATION_OPTIONS,
        ['--env <variable>', 'as MODE=production; repeatable', { repeatable: true }],
      ],
      examples: [
        'berth app create alice shop --runtime node --install "npm ci" --start "node server.js"',
        'berth app create alice api --runtime node --git https://example.com/team/api.git --branch main --start "node server.js"',
        'berth app create alice pages --start none --git https://example.com/team/pages.git --public public --shared storage/',
        'berth app create alice blog --runtime python --install "pip3 install -t lib -r requirements.txt" --start "exec python3 server.py"',
      ],
      async order({ panel, args: [account, name], options }) {
        const environment = options.list('env')
        return {
          to: api`POST /api/applications`,
          body: given({
            account_id: (await findAccount(panel, account)).id,
            name,
            ...settingsOf(options),
            runtime_kind: options.text('runtime') ?? 'none',
            environment: environment === undefined ? undefined : variablesOf(environment),
          }),
          done: (data) =>
            console.log(
              `${known<Application>(data, 'name').name} is recorded.${options.text('git') === undefined ? ` Put its files into ${known<Application>(data, 'folder').folder}, then` : ' Now'}: berth app deploy ${account} ${name}`,
            ),
        }
      },
    },
    update: {
      summary: 'change an application',
      note: 'What runs goes on as it is until it is deployed or started again.',
      args: [ACCOUNT, NAME],
      options: [['--start <line>', START_HELP], ...APPLICATION_OPTIONS],
      examples: ['berth app update alice shop --build "npm run build" --health /health'],
      async order({ panel, args: [account, name], options }) {
        const body = givenSome(
          settingsOf(options),
          ['--start', ...APPLICATION_OPTIONS.map(([flags]) => flags.split(' ')[0])].join(', '),
        )
        const { account_id } = await findApplication(panel, account, name)
        return { to: api`PATCH /api/applications/${account_id}/${name}`, body }
      },
    },
    ...deploymentCommands,
    log: logCommand,
    ...variableCommands,
    bind: {
      summary: "pass a domain's requests on to an application",
      args: [ACCOUNT, NAME, DOMAIN],
      options: [
        ['--path <path>', 'only those below it; repeatable (default: all)', { repeatable: true }],
      ],
      examples: [
        'berth app bind alice shop shop.example',
        'berth app bind alice api www.shop.example --path /api',
      ],
      async order({ panel, args: [account, name, domain], options }) {
        const { account_id } = await findApplication(panel, account, name)
        const { id, domain_name } = await findDomain(panel, domain)
        return {
          to: api`PUT /api/applications/${account_id}/${name}/domains/${id}`,
          body: { paths: options.list('path') ?? null },
          done: `${domain_name} is passed on to ${name}.`,
        }
      },
    },
    unbind: {
      summary: 'serve a domain by its files again',
      args: [ACCOUNT, NAME, DOMAIN],
      examples: ['berth app unbind alice shop shop.example'],
      async order({ panel, args: [account, name, domain] }) {
        const { account_id, domains } = await findApplication(panel, account, name)
        const { id, domain_name } = await findDomain(panel, domain)
        if (!domains.some((one) => one.id === id))
          throw new CliError(`${domain_name} is not passed on to ${name}.`)
        return {
          to: api`DELETE /api/applications/${account_id}/${name}/domains/${id}`,
          done: `${domain_name} is served by its files again.`,
        }
      },
    },
    runtimes: {
      summary: 'show the versions of Node and Python that applications may have',
      examples: ['berth app runtimes'],
      order: () => ({ to: api`GET /api/applications/runtimes` }),
    },
    delete: {
      summary: 'remove an application; its files stay',
      args: [ACCOUNT, NAME],
      confirms: 'name',
      examples: ['berth app delete alice shop'],
      async order({ panel, args: [account, name = ''] }) {
        const { account_id, username } = await findApplication(panel, account, name)
        return {
          to: api`DELETE /api/applications/${account_id}/${name}`,
          confirm: [`Ending application ${name} of ${username} and forgetting its variables`, name],
          done: `Application ${name} of ${username} was removed. Its files are still there.`,
        }
      },
    },
  },
}
