import type { Role } from '$lib/api/types'

/** Whether someone of `role` has accounts to manage: all of them, or as a reseller his own. */
export const managesAccounts = (role: Role): boolean => role !== 'account'
