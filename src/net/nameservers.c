/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/addr.h"

#include <errno.h>
#include <resolv.h>

int addr_use_nameservers(const struct addr *servers, size_t count, struct err *err)
{
    if (count > MAXNS)
        return err_set(err, ERR_CONFIG, 0, "%zu name servers are more than the %d possible", count, MAXNS);
    for (size_t i = 0; i < count; i++)
        if (servers[i].sa.any.sa_family != AF_INET)
            return err_set(err, ERR_CONFIG, 0, "name servers must have IPv4 addresses");
    if (res_init() != 0)
        return err_set(err, ERR_SYSTEM, errno, "cannot set up the resolver");
    for (size_t i = 0; i < count; i++)
        _res.nsaddr_list[i] = servers[i].sa.v4;
    _res.nscount = (int)count;
    return 0;
}
