/**
 * Names that are, or plausibly will be, system users, groups, service names or
 * host names of a Debian machine. The host refuses existing users and groups by
 * itself; this list keeps names free that a later package would claim.
 */
export const RESERVED_USERNAMES: ReadonlySet<string> = new Set(
  (
    'abuse adm admin administrator amavis anonymous apache apache2 api apt audio avahi backup ' +
    'berth bin bind cache caddy cdrom certbot clamav colord crontab cyrus daemon dbus debian ' +
    'default dev dhcpd dialout dip disk dnsmasq docker dovecot elasticsearch exim ftp fwupd games ' +
    'git gnats gopher grafana group guest haproxy home hostmaster http httpd input irc ' +
    'kibana kmem kube kvm ldap lightdm list localhost log logs lp lpadmin lxd mail mailman ' +
    'mailnull man mariadb memcache memcached messagebus minio mongodb munin mysql nagios named ' +
    'netdev news nfsnobody nginx nobody node nogroup nscd ntp ntpd openldap operator panel ' +
    'phpmyadmin plugdev pollinate polkitd postfix postgres postgresql postmaster proc proftpd ' +
    'prometheus proxy pulse puppet rabbitmq redis render root rpc rpcuser rslsync rtkit samba ' +
    'sasl scanner security sendmail shadow shutdown smmsp smmta snap solr spamd squid src ssh ' +
    'sshd ssl sslcert staff statd stunnel stunnel4 sudo support supervisor sync sys sysadmin ' +
    'syslog system systemd tape tftp tmp tomcat tor toor tty users usbmux utmp uucp uuidd ' +
    'vagrant varnish video voice webmaster wheel whoopsie www wwwadmin wwwdata xfs zabbix'
  ).split(' '),
)
