/** Whose programs come first in PATH; `none`: the host's own. */
export interface ApplicationRuntime {
  kind: 'node' | 'python' | 'none'
  /** As `runtimes()` lists it, e.g. `24.21.0`; null: the newest of its kind. */
  version: string | null
}

/** What an application is, but for what it must keep secret. */
export interface ApplicationSpec {
  username: string
  /** 1 to 32 of a-z, 0-9 and `-`, beginning with a letter: one of the account's. */
  name: string
  /** Below the home, e.g. `apps/shop`; programs of the application start there, or in `releases/NAME` of it. */
  folder: string
  /** The release that it runs from; default: its folder itself. */
  release?: string
  /** Its own repository, to which one pushes; made where it is missing. Default: it has none. */
  repository?: { branch: string }
  runtime: ApplicationRuntime
  /** The owner's own line, one argument of `sh -c` as the account; null: a site, of which nothing runs. */
  start: string | null
  /** Variables anybody of the account may read, by name. */
  environment: Readonly<Record<string, string>>
  /**
   * `socket`: it listens at the path in `SOCKET` and `PORT`; `port`: at 127.0.0.1 and the number
   * in `PORT`, which differs with every start.
   */
  listen: 'socket' | 'port'
  /** Asked with GET before visitors are sent to it, must answer 200 to 399; null: it is enough that it listens. */
  healthPath: string | null
  /** Seconds it may take until it answers, 1 to 600. */
  startLimitSecs: number
  /** What happens when it ends by itself; after each failure the pause before the next start grows, up to a minute. */
  restart: 'always' | 'on-failure' | 'never'
  /** How many of its program run beside each other, each with its own `SOCKET` and `PORT`; default 1. */
  instances?: number
  /** Of the processes of an instance together; null: as much as the account has. */
  memoryMb: number | null
  /** Of one processor, of all its processes together, e.g. 50 is half of one and 200 two; default: as much as the account has. */
  cpuPercent?: number
  /** Without a visitor for so long it is ended until the next one comes; null: never. */
  sleepAfterSecs: number | null
}

/** Something was pushed to the repository of an application. */
export interface Push {
  /** UUID. */
  id: string
  username: string
  name: string
  branch: string
}

/** How an application is. */
export interface ApplicationState {
  name: string
  /**
   * `waiting`: it ended, and is started again after a pause; `asleep`: the next visitor wakes it;
   * `failed`: it ended, and is not started again by itself.
   */
  state: 'stopped' | 'starting' | 'running' | 'waiting' | 'asleep' | 'failed'
  /** Of its first process; null: there is none. */
  pid: number | null
  /** UTC, ISO 8601; since when it runs. */
  since: string | null
  /** How often it, or one of its instances, ended by itself since it was started. */
  restarts: number
  /** How many of its instances run; visitors are sent to these. */
  runningInstances: number
  /** Exit code of the last end; null: none, or a signal ended it. */
  code: number | null
  /** Why it, or one of its instances, does not run, in a sentence; null where it does or should not. */
  problem: string | null
  /** Names of its secret variables; values are never answered. */
  secrets: string[]
}

/** A change of secret variables by name: null removes one, what is absent stays. */
export type SecretChange = Readonly<Record<string, string | null>>

/** Programs of accounts that go on running and answer requests behind the web server. */
export interface ApplicationsPort {
  /** Versions that applications may have, newest first. */
  runtimes(): Promise<{ node: string[]; python: string[] }>
  /**
   * Records what it is, and makes its folder; what was deployed last runs on, and is what is
   * started again, until `deploy`.
   * 400 what cannot be, 404 unknown account.
   */
  put(input: { spec: ApplicationSpec; secrets: SecretChange }): Promise<void>
  /** Ends it and forgets it with its secrets; files of the owner stay. What is not there is no error. */
  remove(input: { username: string; name: string }): Promise<void>
  /**
   * Starts what is recorded now beside what runs, sends visitors to it once it answers, and ends
   * the old one when its requests are done. One that runs already goes on where the new one fails.
   * 404 unknown, 409 a site, or the account is suspended, 422 it did not answer in time, with the end of what it wrote.
   */
  deploy(input: { username: string; name: string }): Promise<void>
  /** Ends it until `deploy`; also at the next start of the host it stays so. */
  stop(input: { username: string; name: string }): Promise<void>
  /** How the applications of an account are, by name. */
  states(input: { username: string }): Promise<ApplicationState[]>
  /**
   * Points the link `current` in its folder at a release, in one step, and removes all releases but
   * that and those in `keep`. 404 unknown, 409 the release is not there, or not the folder of it
   * that is to be served (`serves`; empty: the release itself).
   */
  switch(input: {
    username: string
    name: string
    release: string
    serves: string
    keep: string[]
  }): Promise<void>
  /**
   * Puts links into a release to what all releases have in common, in `shared` of its folder. What
   * the first release brings along is taken over there, and folders (a slash at the end) are made.
   * 409 where the account's files do not allow it.
   */
  share(input: { username: string; name: string; release: string; paths: string[] }): Promise<void>
  /** What a release was made of: the commit's id and the first line of its message; null: it has none, or is not there. */
  commit(input: {
    username: string
    name: string
    release: string
  }): Promise<{ id: string; subject: string } | null>
  /** What was pushed to repositories of applications and is not `done` yet, by its id; the last 1000 at most. */
  pushes(input: { done: string[] }): Promise<Push[]>
  /**
   * Tells who pushed, as long as he waits: what the deployment wrote since, and once it has ended a last
   * sentence (null: it goes on). Said nothing for a minute, he waits no longer. `heard`: he waited.
   */
  tellPush(input: { id: string; text: string; ended: string | null }): Promise<{ heard: boolean }>
  /** Public half of its deploy key (`ssh-ed25519 …`), made when there is none; the other half never leaves its account. */
  deployKey(input: { username: string; name: string }): Promise<{ publicKey: string }>
  /** The end of what it wrote to standard output and error, at most 64 kB; empty where there is nothing. */
  log(input: { username: string; name: string }): Promise<{ text: string }>
}
