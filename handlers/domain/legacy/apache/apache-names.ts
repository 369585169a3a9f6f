import { COOKIES_BACK, LEADS_BACK } from '../mapped-heads.ts'

/** Who may see what. When one of these cannot be carried over, the place is closed. */
export const ACCESS = new Set([
  ...['require', 'requireall', 'requireany', 'requirenone', 'order', 'allow', 'deny', 'satisfy'],
  ...['authtype', 'authname', 'authuserfile', 'authgroupfile'],
])

/** Directives that the key `rules` takes as they are. */
export const RULES = new Set([
  ...ACCESS,
  ...['redirect', 'redirectmatch', 'redirectpermanent', 'redirecttemp', 'errordocument'],
  ...['header', 'requestheader', 'setenv', 'unsetenv', 'setenvif', 'setenvifnocase'],
  ...['setenvifexpr', 'browsermatch', 'browsermatchnocase', 'directoryindex', 'directoryslash'],
  ...['fallbackresource', 'expiresactive', 'expiresdefault', 'expiresbytype', 'addtype'],
  ...['removetype', 'addcharset', 'removecharset', 'addencoding', 'removeencoding', 'addlanguage'],
  ...['indexignore', 'indexignorereset'],
  ...['addhandler', 'removehandler', 'sethandler', 'forcetype', 'adddefaultcharset', 'fileetag'],
])

/** Sections that may stand in the key `rules`. */
export const RULE_SECTIONS = new Set([
  ...['files', 'filesmatch', 'if', 'elseif', 'else', 'limit', 'limitexcept'],
  ...['requireall', 'requireany', 'requirenone'],
])

const LOGS = 'Berth keeps its logs in [paths] log_dir, those of an account in its home.'
const PROCESSES = 'Berth’s processes are set in [server] and need no such numbers.'
const COMPRESSION = 'Berth compresses what it stores by itself.'
const CIPHERS = 'Berth has safe settings of its own; versions of TLS are set in [ssl] protocols.'
const NAMES = 'Berth finds sites by their names alone.'
const IDENTITY = 'Berth’s users and files are its own.'
const NOTHING = 'Berth works without it.'

/** Directives that are not missed, and why. */
export const UNNEEDED: ReadonlyMap<string, string> = new Map(
  (
    [
      [
        LOGS,
        'errorlog customlog transferlog loglevel logformat errorlogformat bytesloggingenabled',
      ],
      [LOGS, 'globallog forensiclog rewritelog rewriteloglevel scriptlog'],
      [PROCESSES, 'startservers minsparethreads maxsparethreads threadlimit threadsperchild'],
      [PROCESSES, 'maxrequestworkers maxconnectionsperchild minspareservers maxspareservers'],
      [PROCESSES, 'serverlimit maxclients maxrequestsperchild asyncrequestworkerfactor'],
      [PROCESSES, 'threadstacksize listenbacklog maxmemfree'],
      [PROCESSES, 'timeout keepalive maxkeepaliverequests requestreadtimeout'],
      [
        COMPRESSION,
        'deflatecompressionlevel deflatefilternote addoutputfilterbytype addoutputfilter',
      ],
      [COMPRESSION, 'setoutputfilter brotlicompressionquality brotlifilternote filterdeclare'],
      [COMPRESSION, 'filterprovider filterchain'],
      [CIPHERS, 'sslprotocol sslciphersuite sslhonorcipherorder sslsessiontickets sslsessioncache'],
      [CIPHERS, 'sslsessioncachetimeout sslcompression sslopensslconfcmd sslinsecurerenegotiation'],
      [
        CIPHERS,
        'sslrandomseed sslpassphrasedialog sslcryptodevice sslstrictsnivhostcheck ssloptions',
      ],
      [CIPHERS, 'sslusestapling sslstaplingcache sslstaplingrespondertimeout'],
      [CIPHERS, 'sslstaplingreturnrespondererrors protocols protocolshonororder h2direct'],
      [NAMES, 'namevirtualhost usecanonicalname usecanonicalphysicalport hostnamelookups'],
      [
        IDENTITY,
        'user group pidfile mutex defaultruntimedir lockfile scoreboardfile coredumpdirectory',
      ],
      [
        IDENTITY,
        'serveradmin serversignature servertokens traceenable contentdigest extendedstatus',
      ],
      [NOTHING, 'authmerging typesconfig mimemagicfile addicon addiconbytype addiconbyencoding'],
      [NOTHING, 'defaulticon readmename headername indexoptions adddescription'],
      [NOTHING, 'indexorderdefault languagepriority forcelanguagepriority defaulttype'],
      [NOTHING, 'enablesendfile enablemmap acceptfilter passenv setinputfilter'],
      [NOTHING, 'proxyrequests proxyvia proxybadheader proxyiobuffersize proxyreceivebuffersize'],
      [LEADS_BACK, 'proxypassreverse'],
      [COOKIES_BACK, 'proxypassreversecookiepath'],
      [NOTHING, 'proxyaddheaders proxyset authbasicprovider authbasicauthoritative'],
      [NOTHING, 'includeoptional httpprotocoloptions limitrequestfields limitrequestfieldsize'],
      [
        NOTHING,
        'limitrequestline limitxmlrequestbody multiviewsmatch rewritebase gracefulshutdowntimeout',
      ],
      ['Apache asks php-fpm for such paths whatever it says.', 'acceptpathinfo'],
      [NOTHING, 'logiotrackttfb directorycheckhandler'],
    ] as const
  ).flatMap(([reason, names]) => names.split(' ').map((name) => [name, reason] as const)),
)

/** Directives that are missed, and what to do instead. */
export const LOST: ReadonlyMap<string, string> = new Map([
  ['proxypassreversecookiedomain', 'Cookies keep the domain that the application says.'],
  ['scriptalias', 'Berth runs no CGI programs. Give them a server of their own and proxy to it.'],
  [
    'scriptaliasmatch',
    'Berth runs no CGI programs. Give them a server of their own and proxy to it.',
  ],
  ['action', 'Berth runs no CGI programs.'],
  [
    'suexecusergroup',
    'PHP runs as the user of its socket. Make an account in the panel, or a pool of this user.',
  ],
  [
    'assignuserid',
    'PHP runs as the user of its socket. Make an account in the panel, or a pool of this user.',
  ],
  [
    'ruidgid',
    'PHP runs as the user of its socket. Make an account in the panel, or a pool of this user.',
  ],
  ['secruleengine', 'Berth has no such firewall.'],
  ['secrule', 'Berth has no such firewall.'],
  ['rewritemap', 'Berth has no maps. Write the rules out.'],
  ['rewriteoptions', 'Rules of the whole server do not reach its sites. Repeat them in each.'],
  ['userdir', 'Berth has no homes below "~". Give them sites of their own.'],
  ['sslcacertificatefile', 'Berth asks visitors for no certificates.'],
  ['sslverifyclient', 'Berth asks visitors for no certificates.'],
  ['accessfilename', 'Berth reads .htaccess alone. Rename the files, or they protect nothing.'],
  ['use', 'Berth knows no macros. Write it out: it may hold rules that keep visitors out.'],
  ['sslproxyengine', 'Upstreams over https need no switch; see verify_tls.'],
  ['serverpath', 'Berth finds sites by their names alone.'],
  ['limitrequestbody', 'The limit is the server’s: [server] max_body_size.'],
])
