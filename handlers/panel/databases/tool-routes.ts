import { z } from 'zod'
import { userKey } from '../access/caller.ts'
import { conflict, unavailable } from '../../errors.ts'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import type { PanelDeps } from '../deps.ts'
import { routesOf } from '../frame/routes-of.ts'
import { engineQuery, nameParams } from './params.ts'

const on = routesOf('Databases', { changes: 'develop' })

/** The web tool for one database. */
export const databaseToolRoutes = (
  deps: Pick<PanelDeps, 'databaseTool'>,
  { databaseTool }: Services,
) => [
  on.account.post('/api/databases/:account_id/:db_name/tool', {
    summary: 'Opens a database in the web tool',
    description:
      "Answers an address that opens Adminer for this one database, once, within a minute, and from the address that asked. The tool has an origin of its own and logs in with the rights of the database's user. What is open ends with the session of the panel, with the account's suspension, after half an hour without use, and when the database is opened anew.",
    params: nameParams,
    query: engineQuery,
    data: z.object({ url: z.url() }),
    errors: {
      404: 'No such account or database.',
      409: 'Two engines have a database of this name: say which with engine. Or the account is not active.',
      429: 'Too many databases are being opened.',
      503: 'The tool is switched off, or its port is taken.',
    },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params, query, caller, clientAddress, ownOrigin, reauthenticate }) {
      if (deps.databaseTool === undefined)
        throw unavailable('There is no database tool here: [panel] database_tool_port is 0.')
      // Root's own socket: there is no browser whose address the ticket could be for.
      if (clientAddress === 'local')
        throw conflict('The database tool is for browsers. Log in to the panel and open it there.')
      const origin = await deps.databaseTool.origin(ownOrigin)
      const { account_id: accountId, db_name: name } = params
      const ticket = await databaseTool.ticket(
        { accountId, name, engine: query.engine ?? null },
        { user: userKey(caller), clientAddress, reauthenticate },
      )
      return { url: `${origin}/open/${ticket}` }
    },
  }),
]
