import type { z } from 'zod'
import type { applicationSchema, deploymentSchema } from '#handlers/panel/applications/schema.ts'
import { CliError } from '../../cli-error.ts'
import { known, knownRows } from '../frame/known.ts'
import { findAccount } from '../frame/lookup.ts'
import { apiPath, type PanelClient } from '../frame/panel-client.ts'

export type Application = z.output<typeof applicationSchema>
export type Deployment = z.output<typeof deploymentSchema>

/** The argument that names an application of an account. */
export const NAME = ['<name>', 'of the application, as berth app list shows it'] as const

/** The application of that name. */
export const findApplication = async (
  panel: PanelClient,
  account: string | undefined,
  name = '',
): Promise<Application> => {
  const { id } = await findAccount(panel, account)
  const data = await panel.call('GET', apiPath`/api/applications/${id}`)
  const found = knownRows<Application>(data, 'account_id', 'name', 'environment').find(
    (row) => row.name === name,
  )
  if (found) return found
  throw new CliError(
    `The account has no application "${name}". See: berth app list ${account ?? ''}`,
  )
}

/** A deployment with what it wrote; the last one unless its id is given. */
export const findDeployment = async (
  panel: PanelClient,
  { account_id: account, name }: Application,
  which: string,
): Promise<Deployment> => {
  const data = await panel.call('GET', apiPath`/api/applications/${account}/${name}/deployments`)
  const all = knownRows<Deployment>(data, 'id')
  const found = which === '' ? all[0] : all.find(({ id }) => id === which)
  if (found === undefined)
    throw new CliError(
      which === '' ? 'It was not deployed yet.' : `There is no deployment "${which}".`,
    )
  const path = apiPath`/api/applications/${account}/${name}/deployments/${found.id}`
  return known<Deployment>(await panel.call('GET', path), 'id', 'state', 'output')
}
