import { callApi } from '$lib/api/call-api'
import { page } from '$app/state'
import type { Account, Me, PlanView } from '$lib/api/types'
import { planChoices, planName, planOf, type PlanChoice } from '$lib/format/plan'

/** The plans that there are, as an administrator's browser read them last. */
class KnownPlans {
  list = $state<PlanView[] | null>(null)

  /** Reads them anew; what is shown stays when that fails. To be called in the browser alone. */
  async load(): Promise<void> {
    const result = await callApi<PlanView[]>('GET', '/api/plans')
    if (result.ok) this.list = result.data
  }

  /** The built-in ones until they were read. */
  get choices(): readonly PlanChoice[] {
    return planChoices(this.list, (page.data as { me?: Me }).me?.role === 'reseller')
  }

  #quotas(account: Pick<Account, 'plan'>): PlanView | undefined {
    return this.list?.find(({ name }) => name === account.plan)
  }

  choiceOf(account: Account): string {
    return planOf(account, this.#quotas(account))
  }

  nameOf(account: Account): string {
    return planName(account, this.#quotas(account))
  }
}

export const knownPlans = new KnownPlans()
