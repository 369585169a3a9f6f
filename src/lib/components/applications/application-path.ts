import type { Application } from '$lib/api/types'
import type { AppPath } from '$lib/state/app-path'

/** Address of an application in the API. */
export const applicationPath = ({ account_id, name }: Pick<Application, 'account_id' | 'name'>) =>
  `/api/applications/${account_id}/${name}`

/** Its page. */
export const applicationPage = ({
  username,
  name,
}: Pick<Application, 'username' | 'name'>): AppPath => `/applications/${username}/${name}`
