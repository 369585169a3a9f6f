import { error } from '@sveltejs/kit'
import type {
  Account,
  Application,
  ApplicationRuntimes,
  Domain,
  ListedDeployment,
} from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:applications')
  const { username, name } = event.params
  const found = await readApi<Account[]>(
    event,
    `/api/accounts?username=${encodeURIComponent(username)}`,
  )
  if (!found.ok) return { application: found, details: null }
  const [account] = found.data
  if (account === undefined) error(404, 'Page not found')
  const path = `/api/applications/${account.id}/${encodeURIComponent(name)}`
  const application = await readApi<Application>(event, path)
  if (!application.ok && application.status === 404) error(404, 'Page not found')
  const [deployments, domains, runtimes] = await Promise.all([
    readApi<ListedDeployment[]>(event, `${path}/deployments`),
    readApi<Domain[]>(event, `/api/domains/account/${account.id}?sort=domain_name`),
    readApi<ApplicationRuntimes>(event, '/api/applications/runtimes'),
  ])
  return { application, details: { deployments, domains, runtimes } }
}
