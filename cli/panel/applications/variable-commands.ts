import { CliError } from '../../cli-error.ts'
import { readSecret } from '../../read-password.ts'
import type { ResourceSpec } from '../frame/command-types.ts'
import { ACCOUNT } from '../frame/lookup.ts'
import { api } from '../frame/panel-client.ts'
import { variablesOf } from './application-options.ts'
import { findApplication, NAME } from './find-application.ts'

const ANEW = 'What runs gets it when it is deployed or started again.'

/** Variables of applications, those that are secret too. */
export const variableCommands: ResourceSpec['commands'] = {
  'env-set': {
    summary: 'set variables of an application',
    note: `Everybody who may see the application can read them; for passwords and keys there is berth app secret-set. ${ANEW}`,
    args: [ACCOUNT, NAME, ['<variables...>', 'as MODE=production']],
    examples: ['berth app env-set alice shop MODE=production LOG_LEVEL=warn'],
    async order({ panel, args: [account, name], rest }) {
      const { account_id, environment } = await findApplication(panel, account, name)
      return {
        to: api`PATCH /api/applications/${account_id}/${name}`,
        body: { environment: { ...environment, ...variablesOf(rest) } },
        done: ANEW,
      }
    },
  },
  'env-unset': {
    summary: 'remove variables of an application',
    args: [ACCOUNT, NAME, ['<variables...>', 'their names']],
    examples: ['berth app env-unset alice shop LOG_LEVEL'],
    async order({ panel, args: [account, name], rest }) {
      const { account_id, environment } = await findApplication(panel, account, name)
      const left = Object.entries(environment).filter(([variable]) => !rest.includes(variable))
      return {
        to: api`PATCH /api/applications/${account_id}/${name}`,
        body: { environment: Object.fromEntries(left) },
        done: ANEW,
      }
    },
  },
  'secret-set': {
    summary: 'set a secret variable of an application',
    note: `Its value is read from standard input, or asked for at a terminal; nobody is told it again. ${ANEW}`,
    args: [ACCOUNT, NAME, ['<variable>', 'its name']],
    examples: ['berth app secret-set alice shop API_KEY < key.txt'],
    async order({ panel, args: [account, name, variable = ''] }) {
      const { account_id } = await findApplication(panel, account, name)
      const value = await readSecret(`${variable}: `)
      if (value === '') throw new CliError('The value is empty. Nothing was changed.', 2)
      return {
        to: api`PATCH /api/applications/${account_id}/${name}/secrets`,
        body: { secrets: { [variable]: value } },
        done: ANEW,
      }
    },
  },
  'secret-unset': {
    summary: 'remove secret variables of an application',
    args: [ACCOUNT, NAME, ['<variables...>', 'their names']],
    examples: ['berth app secret-unset alice shop API_KEY'],
    async order({ panel, args: [account, name], rest }) {
      const { account_id } = await findApplication(panel, account, name)
      return {
        to: api`PATCH /api/applications/${account_id}/${name}/secrets`,
        body: { secrets: Object.fromEntries(rest.map((variable) => [variable, null])) },
        done: ANEW,
      }
    },
  },
}
