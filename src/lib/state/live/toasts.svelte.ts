export interface Toast {
  id: number
  tone: 'ok' | 'bad'
  text: string
}

const VISIBLE_MS = { ok: 5000, bad: 12_000 }
const AT_MOST = 4

/** Results of actions, shown for a while; validation never comes here. */
class Toasts {
  list = $state<Toast[]>([])
  #nextId = 1

  ok(text: string): void {
    this.#show('ok', text)
  }

  bad(text: string): void {
    this.#show('bad', text)
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id)
  }

  #show(tone: Toast['tone'], text: string): void {
    const id = this.#nextId++
    this.list = [...this.list, { id, tone, text }].slice(-AT_MOST)
    setTimeout(() => this.dismiss(id), VISIBLE_MS[tone])
  }
}

export const toasts = new Toasts()
