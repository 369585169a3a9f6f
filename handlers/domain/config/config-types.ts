import type { CacheConfig } from '../../../edge-cache/config.ts'
import type { MailConfig } from './mail/mail-section.ts'
import type { VirtualHostConfig } from './virtual-host-config.ts'

export type * from './mail/mail-section.ts'
export type * from './virtual-host-config.ts'

/**
 * The effective configuration: `berth.toml`, its `include` files and defaults
 * merged and validated. Paths are absolute, sizes are bytes, times are seconds.
 */
export interface ServerConfig {
  /** Path of the main file. */
  file: string
  paths: PathsConfig
  panel: PanelConfig
  server: HttpServerConfig
  api: { listen: string[] }
  link: LinkConfig
  php: PhpConfig
  cache: CacheConfig
  ssl: SslConfig
  applications: ApplicationsConfig
  databases: DatabasesConfig
  backups: BackupsConfig
  remote_target: RemoteTargetConfig[]
  ssh: SshConfig
  mail: MailConfig
  wordpress: WordpressConfig
  hooks: HooksConfig
  webhook: WebhookConfig[]
  virtualhost: VirtualHostConfig[]
  /** Glob of generated files, relative to the main file or absolute. */
  include: string
}

/** How panels on other machines reach this one's agent. */
export interface LinkConfig {
  /** Addresses with ports, `listen.ts`. */
  listen: string[]
  /** Group whose programs may connect to the link's unix socket, as a tunnel's end does; null: there is no such socket. */
  tunnel_group: string | null
}

/** What the agent takes up without a restart. */
export type ReloadedConfig = Pick<ServerConfig, 'virtualhost' | 'remote_target' | 'mail'>

/** Section `[paths]`; all absolute. */
export interface PathsConfig {
  state_dir: string
  home_base: string
  run_dir: string
  log_dir: string
  /** Where installed copies of the product live (root mode). */
  install_dir: string
  /** Generated virtual hosts; default `<state_dir>/vhosts.d`. */
  vhosts_dir: string
  /** Secrets, each readable by its one process; default `<state_dir>/secrets`, `/etc/berth/secrets` for the system-wide installation. */
  secrets_dir: string
}

/** Section `[ssl]`. */
export interface SslConfig {
  /** Where certificates of the panel's sites lie. */
  directory: string
  protocols: ('TLSv1.2' | 'TLSv1.3')[]
  /** Whether servers of DNS access may lie outside of the internet, also on this machine. */
  allow_local_dns: boolean
}

/** Section `[applications]`. */
export interface ApplicationsConfig {
  /** Whether repositories may lie outside of the internet, also on this machine. */
  allow_local_sources: boolean
}

/** Section `[panel]`. */
export interface PanelConfig {
  /** `host:port`, several allowed. */
  listen: string[]
  /** `off`, `self-signed`, or the name that the panel has a certificate for. */
  tls: string
  /** Certificate and key of one's own instead; both or none. */
  tls_certificate: string | null
  tls_certificate_key: string | null
  acme_email: string | null
  /** URL of the certificate authority's directory. */
  acme_directory: string
  /** Root certificates to trust when speaking to it (PEM); null: the system's. */
  acme_ca_file: string | null
  /** What the authority knows its customer by (RFC 8555, 7.3.4), and the file with its key; both or none. */
  acme_eab_key_id: string | null
  acme_eab_key_file: string | null
  /** Asked where the other one cannot be reached, or has no time; null: none is. */
  acme_fallback_directory: string | null
  acme_fallback_eab_key_id: string | null
  acme_fallback_eab_key_file: string | null
  setup_token_file: string | null
  /** URL of a PostgreSQL database (`parseStoreUrl`); null: a SQLite file below `state_dir`. */
  store: string | null
  /** Read anew at each connection. */
  store_password_file: string | null
  /** Root certificates to trust (PEM); null: the system's. */
  store_ca_file: string | null
  license_file: string | null
  license_public_key_file: string | null
  /** CIDR blocks whose `X-Forwarded-For` counts, and whose connections to sites are not limited by address. */
  trusted_proxies: string[]
  /** Of the web tool for databases, on the addresses of `listen`; 0: there is none. */
  database_tool_port: number
}

/** Section `[server]`: what the web server does for all sites. */
export interface HttpServerConfig {
  listen: string[]
  listen_ssl: string[]
  /** Where fronts of the list in `<state_dir>/web-channel` are served, whose word on visitors is believed there; none: nowhere. */
  front_listen: string[]
  /** Worker processes; 0 is one per core. */
  workers: number
  /** Seconds an idle connection is kept. */
  keepalive_timeout: number
  /** Seconds for a whole request head to arrive. */
  header_timeout: number
  /** Seconds for a whole request to arrive. */
  request_timeout: number
  /** Longest request head, in bytes. */
  max_header_size: number
  /** Bytes; 0 is unlimited. */
  max_body_size: number
  /** Open connections of all workers together; 0 is unlimited. */
  max_connections: number
  /** Open connections of one IPv4 address or IPv6 /64, those in `[panel] trusted_proxies` excepted; 0 is unlimited. */
  max_connections_per_address: number
  access_log: boolean
  /** Seconds that a worker may take from its start until it serves. */
  worker_start_secs: number
  /** Seconds of silence after which a worker is ended; another one serves in its place. */
  worker_stall_secs: number
  /** Text goes out in gzip or brotli to clients that accept it, stored pages included. */
  compress: boolean
  /** What names that no virtual host has are answered with, unless one is there for them; null: 404. */
  default_host: DefaultHost | null
}

/** Section `[php]`; a virtual host may have some of it otherwise, see `PhpPoolConfig`. */
export interface PhpConfig {
  /** Version for accounts that chose none; null is the newest installed. */
  default_version: string | null
  max_children: number
  memory_limit: string
  /** Seconds without a request after which a master stops. */
  idle_timeout: number
  /** Seconds PHP may take for one request. */
  request_timeout: number
  /** Holds `lsphp82/bin/lsphp` and the like, as LiteSpeed's packages install it. */
  lsphp_directory: string
}

/** Section `[databases]`: which servers there are. */
export interface DatabasesConfig {
  /** `auto`: the system's server where a service manager runs it, else a private one of ours; `managed`; `system`; `off`. */
  mariadb: 'auto' | 'managed' | 'system' | 'off'
  /** Socket of the system's server. */
  mariadb_socket: string
  /** `auto` and `managed`: a private one of ours; `system`; `off`. */
  postgresql: 'auto' | 'managed' | 'system' | 'off'
  /** Socket of the system's server, whose name ends with its port. */
  postgresql_socket: string
  /** Whether other machines may reach it over TLS, from addresses that owners name; a server of ours alone. */
  mariadb_remote: boolean
  /** As above. */
  postgresql_remote: boolean
}

/** Section `[wordpress]`. */
export interface WordpressConfig {
  /** Absolute: each a WordPress, or a directory with such in it, that sites are installed from. */
  sources: string[]
  /** Absolute: directories with archives of WordPress itself, that sites are installed from. */
  cores: string[]
  /** Whether WordPress itself is asked for versions and their archives. */
  official: boolean
  /** In which it is offered beside English, as WordPress calls them. */
  official_languages: string[]
  /** Where the archives are given out. */
  official_downloads: string
  /** Where versions and the sums of their files are told. */
  official_api: string
  /** Whether these two places may lie outside of the internet. */
  official_private: boolean
  /** Absolute: directories with archives of plugins and themes, that sites are updated from. */
  packages: string[]
}

/** One thing wrong with a configuration. */
export interface ConfigProblem {
  file: string
  /** 1-based; 0 when the whole file is meant. */
  line: number
  /** Dotted, e.g. `cache.memory_limit`, `virtualhost[2].root`. */
  key: string
  /** What is wrong and how to fix it. */
  message: string
}

/** When backups are made by themselves, but for plans and accounts with a schedule of their own. */
export interface BackupsConfig {
  /** Hour of the day, UTC, in which every account is backed up; null: never. */
  schedule: number | null
  /** Days after which the schedule removes backups. */
  retention_days: number
  /** How many scheduled backups are made at a time, over all accounts. */
  at_once: number
  /** Whether targets set up in the panel may lie on this machine. */
  allow_local_targets: boolean
}

/** Section `[ssh]`: how accounts are reached at the machine's sshd. */
export interface SshConfig {
  /** Whether they are, over SFTP. Default: in the system-wide installation. */
  sftp: boolean
  /** A port that sshd listens at beside its own; 0: none. */
  port: number
  /** Name that owners connect to; null: the panel's. */
  host: string | null
  /** The machine's configuration of sshd. */
  config_file: string
}

/** Programs of the administrator that are told of events. */
export interface HooksConfig {
  /** Below it every event has a directory of programs. */
  directory: string
  /** System user that they run as. */
  run_as: string
  /** Seconds that one may take. */
  timeout: number
  /** How many run at once. */
  at_once: number
}

/** An address that is told of events. */
export interface WebhookConfig {
  name: string
  url: string
  /** Holds what messages are signed with; readable by user berth. */
  secret_file: string
  /** Names of events, or `*`. */
  events: string[]
  /** Whether it may lie outside of the internet. */
  allow_private: boolean
}

/** Where copies of backups are kept elsewhere. Secrets stand in files alone. */
export interface RemoteTargetConfig {
  name: string
  type: 's3' | 'sftp'
  /** S3: URL; SFTP: `host` or `host:port`. */
  endpoint: string
  bucket: string | null
  /** SFTP: directory; S3: what every key begins with. */
  path: string | null
  region: string | null
  username: string | null
  is_default: boolean
  access_key_id: string | null
  secret_key_file: string | null
  password_file: string | null
  private_key_file: string | null
  /** `SHA256:…`, the fingerprint of the server's key. */
  host_key: string | null
  /** Whether it may be on this machine or its link. */
  allow_private: boolean
}

/** Key `default_host` of `[server]`: one of the two. */
export interface DefaultHost {
  status: 403 | 404 | 410 | 421 | 503 | null
  /** An address that every request is led to (302). */
  redirect: string | null
}
