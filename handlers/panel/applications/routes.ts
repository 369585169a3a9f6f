import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { changes, id, numberText, oneOf } from '../frame/fields.ts'
import { given } from '../frame/given.ts'
import { routesOf } from '../frame/routes-of.ts'
import {
  applicationFields,
  applicationName,
  assertRuntime,
  assertSite,
  assertVariables,
  keptPaths,
  keptSettings,
  newSecrets,
  secretChange,
  sitePaths,
} from './application-fields.ts'
import { applicationSchema, RUNTIME_KINDS, runtimesSchema, shownApplication } from './schema.ts'

const fields = applicationFields
const createSchema = z.object({
  account_id: id('account_id'),
  name: applicationName(),
  ...fields,
  folder: fields.folder.optional().describe('Below the home; default: apps/ and its name.'),
  source_url: fields.source_url.default(null),
  source_branch: fields.source_branch.default(null),
  source_push: fields.source_push.default(false),
  runtime_version: fields.runtime_version.default(null),
  install_command: fields.install_command.default(null),
  build_command: fields.build_command.default(null),
  public_folder: fields.public_folder.default(''),
  shared_paths: fields.shared_paths.default([]),
  environment: fields.environment.default({}),
  secrets: newSecrets().default({}),
  listen: fields.listen.default('socket'),
  health_path: fields.health_path.default(null),
  start_limit_secs: fields.start_limit_secs.default(60),
  restart: fields.restart.default('always'),
  instances: fields.instances.default(1),
  memory_mb: fields.memory_mb.default(null),
  cpu_percent: fields.cpu_percent.default(null),
  sleep_after_secs: fields.sleep_after_secs.default(null),
})
const changeSchema = changes(z.object(fields).partial().shape)
const params = z.object({ account_id: numberText('account_id') })
const oneParams = params.extend({ name: z.string().max(64) })
const domainParams = oneParams.extend({ id: numberText('id') })

const on = routesOf('Applications', { changes: 'develop' })
const NOT_FOUND = 'No such account or application.'
const BUSY = 'The account is being made or deleted.'
const NO_HOST = 'The host does not answer.'
const sortable = ['name', 'folder', 'username', 'created_at', 'deployment_at'] as const
const filters = {
  runtime: oneOf('runtime', RUNTIME_KINDS).optional().describe('Only those of that runtime.'),
  desired: oneOf('desired', ['running', 'stopped'])
    .optional()
    .describe('Only those that shall run, or shall not.'),
}
type Own = { params: { account_id: number }; caller: Parameters<typeof authorize>[0] }
const before = ({ params, caller }: Own): void => authorize(caller, 'account', params.account_id)

/** Programs of accounts that go on running behind the web server. */
export const applicationRoutes = ({ applications }: Services) => [
  on.account.get('/api/applications/runtimes', {
    summary: 'Versions of Node and Python that applications may have',
    data: runtimesSchema,
    errors: { 503: NO_HOST },
    handle: () => applications.runtimes(),
  }),
  on.manage.list('/api/applications', {
    summary: 'Lists the applications of all accounts',
    description: 'A reseller sees those of his accounts. How they are is told in the list of one.',
    sortable,
    filters,
    row: applicationSchema,
    async rows(list) {
      const { rows, total } = await applications.list(null, list)
      return { rows: rows.map(shownApplication), total }
    },
  }),
  on.account.list('/api/applications/:account_id', {
    summary: 'Lists the applications of an account, and how they are',
    sortable,
    filters,
    params,
    row: applicationSchema,
    errors: { 404: 'No such account.' },
    before,
    async rows(list, { params }) {
      const { rows, total } = await applications.list(params.account_id, list)
      return { rows: rows.map(shownApplication), total }
    },
  }),
  on.account.post('/api/applications', {
    summary: 'Makes an application',
    description:
      "It is recorded and its folder made; it runs, or is served, once it is deployed or started. Its lines run as the account, in its folder, within the limits of the account's programs, with its variables and its runtime first in PATH. How many an account may have is a limit of its plan, which an administrator may exceed.",
    body: createSchema,
    data: applicationSchema,
    errors: {
      403: 'The account has as many applications as its plan allows.',
      404: 'No such account.',
      409: `The name is taken, or the account is not active. ${BUSY}`,
      503: NO_HOST,
    },
    async handle({ body, caller }) {
      authorize(caller, 'account', body.account_id)
      const { account_id, name, secrets, folder = `apps/${name}`, ...rest } = body
      assertVariables('secrets', secrets)
      assertRuntime(rest)
      assertSite(rest)
      const settings = keptSettings({ ...rest, folder })
      const input = { name, settings, secrets }
      return shownApplication(await applications.create(account_id, input, caller.role !== 'admin'))
    },
  }),
  on.account.get('/api/applications/:account_id/:name', {
    summary: 'Shows an application and how it is',
    params: oneParams,
    data: applicationSchema,
    errors: { 404: NOT_FOUND },
    before,
    handle: async ({ params }) =>
      shownApplication(await applications.get(params.account_id, params.name)),
  }),
  on.account.patch('/api/applications/:account_id/:name', {
    summary: 'Changes an application',
    description: 'What runs goes on as it is until the application is deployed or started again.',
    params: oneParams,
    body: changeSchema,
    data: applicationSchema,
    errors: { 404: NOT_FOUND, 409: BUSY, 503: NO_HOST },
    before,
    async handle({ params: { account_id, name }, body }) {
      const settings = keptSettings(given(body))
      const known = await applications.get(account_id, name)
      // A version of another runtime means nothing to this one.
      if (settings.runtime_kind !== undefined && settings.runtime_kind !== known.runtime_kind)
        settings.runtime_version ??= null
      assertRuntime({ ...known, ...settings })
      assertSite({ ...known, ...settings })
      return shownApplication(await applications.change(account_id, name, settings))
    },
  }),
  on.account.delete('/api/applications/:account_id/:name', {
    summary: 'Removes an application',
    description:
      'It is ended, a deployment that is under way too; its variables are forgotten and its files stay. Its domains are served by their files again.',
    params: oneParams,
    data: z.object({ name: z.string(), deleted: z.literal(true) }),
    errors: { 404: NOT_FOUND, 409: BUSY, 503: NO_HOST },
    before,
    async handle({ params: { account_id, name } }) {
      await applications.remove(account_id, name)
      return { name, deleted: true as const }
    },
  }),
  on.account.patch('/api/applications/:account_id/:name/secrets', {
    summary: 'Changes secret variables of an application',
    description:
      'Their values are kept by the host and told to nobody again. What runs keeps those that it was started with.',
    params: oneParams,
    body: z.object({ secrets: secretChange() }),
    data: applicationSchema,
    errors: { 404: NOT_FOUND, 409: BUSY, 503: NO_HOST },
    before,
    async handle({ params: { account_id, name }, body: { secrets } }) {
      assertVariables('secrets', secrets)
      return shownApplication(await applications.changeSecrets(account_id, name, secrets))
    },
  }),
  on.account.post('/api/applications/:account_id/:name/deploy-key', {
    summary: 'Shows the deploy key of an application',
    description:
      "Its public half, made when there is none; a private repository has to let it in. Add it to the repository as a deploy key that may only read. The other half stays in the account's home.",
    params: oneParams,
    data: z.object({ public_key: z.string().describe('One line, as authorized_keys has them.') }),
    errors: { 404: NOT_FOUND, 409: 'The account is not active.', 503: NO_HOST },
    before,
    handle: ({ params }) => applications.deployKey(params.account_id, params.name),
  }),
  on.account.get('/api/applications/:account_id/:name/repository', {
    summary: 'Where one pushes to the repository of an application',
    description:
      'With an SSH key of the account, or its password where that counts; it needs no shell.',
    params: oneParams,
    data: z.object({
      url: z.string().nullable().describe('Null: there is none, as the reason says.'),
      reason: z.string().nullable(),
    }),
    errors: { 404: NOT_FOUND, 503: NO_HOST },
    before,
    handle: ({ params }) => applications.repository(params.account_id, params.name),
  }),
  on.account.get('/api/applications/:account_id/:name/log', {
    summary: 'What an application wrote last',
    params: oneParams,
    data: z.object({
      text: z.string().describe('The end of standard output and error, at most 64 kB.'),
    }),
    errors: { 404: NOT_FOUND, 503: NO_HOST },
    before,
    handle: ({ params }) => applications.log(params.account_id, params.name),
  }),
  on.account.put('/api/applications/:account_id/:name/domains/:id', {
    summary: 'Passes requests of a domain on to an application',
    description:
      'All of them, or those below some paths; WebSockets too. A site takes all; they are served from the folder of its release. Pages that it makes are cached as those of every site. A domain is passed on to one application at a time.',
    params: domainParams,
    body: z.object({ paths: sitePaths().default(null) }),
    bodyOptional: true,
    data: applicationSchema,
    errors: {
      404: 'No such account, application or domain.',
      409: 'The domain is an alias, or the account is not active.',
      503: NO_HOST,
    },
    before,
    handle: async ({ params: { account_id, name, id }, body: { paths } }) =>
      shownApplication(await applications.bind(account_id, name, id, keptPaths(paths))),
  }),
  on.account.delete('/api/applications/:account_id/:name/domains/:id', {
    summary: 'Serves a domain by its files again',
    params: domainParams,
    data: applicationSchema,
    errors: {
      404: 'No such account, application or domain, or the domain is not passed on to it.',
      409: 'The account is not active.',
      503: NO_HOST,
    },
    before,
    handle: async ({ params: { account_id, name, id } }) =>
      shownApplication(await applications.unbind(account_id, name, id)),
  }),
]
