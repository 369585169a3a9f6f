/** Below the home: an application's own place, with its sockets and its log. */
export const applicationPlace = (name: string): string => `.berth/apps/${name}`

/** Name of its own repository in that place. */
export const REPOSITORY_NAME = 'repository.git'

/** Branch of a repository of its own where none is said. */
export const USUAL_BRANCH = 'main'

/** Name of the log in that place; the one before has `.1` behind it. */
export const LOG_NAME = 'log'

/** Name of the socket in that place that visitors of an instance are sent to; the first has 1. */
export const socketName = (instance: number): string =>
  instance === 1 ? 'socket' : `socket-${instance}`

/** The socket that visitors of an application are sent to, or of one of its instances, for an absolute home. */
export const applicationSocket = (home: string, name: string, instance = 1): string =>
  `${home}/${applicationPlace(name)}/${socketName(instance)}`
