import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { account, addApplication, application, must } from './preparations.ts'

const PATH = '/api/applications/1/shop'

const withApplication = async (admin: ApiClient): Promise<void> => {
  await account(admin)
  await addApplication(admin)
}

/** What is done with applications of accounts. */
export const applicationCases = () => [
  {
    name: 'application.create',
    kinds: ['application.create'],
    prepare: account,
    method: 'POST',
    path: '/api/applications',
    body: application,
  },
  {
    name: 'application.change',
    kinds: ['application.change'],
    prepare: withApplication,
    method: 'PATCH',
    path: PATH,
    body: { start_command: 'node other.js', environment: { MODE: 'other' } },
  },
  {
    name: 'application.delete of one that a domain is passed on to',
    kinds: ['application.delete'],
    async prepare(admin: ApiClient) {
      await withApplication(admin)
      await must(admin.send('PUT', `${PATH}/domains/1`))
      await must(admin.post(`${PATH}/deploy`))
    },
    method: 'DELETE',
    path: PATH,
  },
  {
    name: 'application.deploy',
    kinds: ['application.deploy'],
    prepare: withApplication,
    method: 'POST',
    path: `${PATH}/deploy`,
    job: true as const,
    // Of a start whose answer was lost the panel learns when it looks the next time.
    apart: ['applications', 'running'],
  },
]
