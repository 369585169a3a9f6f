import type { CommandOptions } from './command-options.ts'
import type { ApiCall, PanelClient, Query } from './panel-client.ts'

/** An option: its flags, what it does, and what more is known of it. */
export type OptionSpec = readonly [
  flags: string,
  description: string,
  more?: { choices?: readonly string[]; preset?: string; repeatable?: boolean; required?: boolean },
]

/** `<name>` is needed, `[name]` may be left out, `<name...>` takes several. */
type ArgumentSpec = readonly [
  name: string,
  description: string,
  more?: { choices?: readonly string[]; preset?: string },
]

/** What a command is given to run. */
export interface LocalCall {
  /** In the order of the declaration; absent ones are empty. */
  args: readonly string[]
  /** Arguments of a last `<name...>`. */
  rest: readonly string[]
  options: CommandOptions
  /** Absolute. */
  configFile: string
  json: boolean
  /** Prints `data` as JSON where that is wanted, else the text, or what `show` prints. */
  print(data: unknown, show: string | (() => void)): void
}

/** What a client of the panel is given. */
export interface PanelCall extends LocalCall {
  panel: PanelClient
}

/** What help and reference say of a command. */
export interface CommandFacts {
  summary: string
  /** What a reader cannot guess. */
  note?: string
  args?: readonly ArgumentSpec[]
  options?: readonly OptionSpec[]
  examples: readonly [string, ...string[]]
}

/** One call of the API, and what is said of it. */
export interface Order {
  /** As ``api`DELETE /api/plans/${name}` ``. */
  to: ApiCall
  query?: Query
  /** Sent as JSON. */
  body?: unknown
  /** What cannot be undone, and the name that is typed before; see `confirms`. */
  confirm?: readonly [what: string, name: string]
  /** What is printed when it is done, or what prints it. Default: the record that is answered. */
  done?: string | ((data: unknown) => void)
  /** Whether what was done is a failure all the same, exit code 1. */
  failed?(data: unknown): boolean
}

/** A command that is one call of the API. */
export interface OrderSpec extends CommandFacts {
  /** Reads arguments and options, and asks the panel for ids; nothing is changed before it has answered. */
  order(call: PanelCall): Order | Promise<Order>
  /** Field of the body for a new password, which comes by `--password-stdin`, is made, or is asked for. */
  password?: string
  /** Whether one has to type what it is about, and what that is; `--yes` does without. */
  confirms?: 'name' | 'number' | 'path'
  /** Whether it may take long: a job, for which `--no-wait` does not wait. */
  job?: true
}

/** Another client of the panel's API. */
interface PanelSpec extends CommandFacts {
  run(call: PanelCall): Promise<void>
}

/** A command that needs no panel. */
export interface LocalSpec extends CommandFacts {
  act(call: LocalCall): void | Promise<void>
}

export type CommandSpec = OrderSpec | PanelSpec | LocalSpec

/** Commands about one kind of thing, e.g. `berth accounts …`. */
export interface ResourceSpec {
  name: string
  /** E.g. the singular. */
  alias?: string
  summary: string
  /** By name, in the order in which they are shown. */
  commands: Readonly<Record<string, CommandSpec>>
}
