import type { Store } from '#handlers/ports/store/store.ts'

/** An empty store. */
export interface StoreSubject {
  store: Store
  dispose(): Promise<void>
}
