import type { Services } from '../../services/services.ts'
import type { Caller } from '../access/caller.ts'
import { authorize } from '../access/policy.ts'

/** Who may do something about the certificate of a name. */
export const siteRights = ({ certificates }: Pick<Services, 'certificates'>) => {
  /** Whoever owns the site; of the panel's own name an administrator. */
  const authorizeName = async (caller: Caller, name: string): Promise<void> => {
    const accountId = await certificates.ownerOf(name)
    if (accountId === null) authorize(caller, 'system')
    else authorize(caller, 'account', accountId, `Domain ${name} is not hosted here. Add it first.`)
  }
  /** Orders of owner and reseller count together. */
  const countOrder = async ({ role }: Caller, name: string): Promise<void> =>
    certificates.countOrder(role === 'admin' ? null : await certificates.ownerOf(name))
  const aboutName = async (caller: Caller, name: string) => {
    await authorizeName(caller, name)
    return { subject: name, accountId: await certificates.ownerOf(name) }
  }
  return { authorizeName, countOrder, aboutName }
}
