#!/usr/bin/env python3
"""Opens a door with the client that openapi-python-client makes from docs/openapi.json.

    door.py INSTANCE

The environment is that of wfctl: WFCTL_ADDRESS is https://HOST[:PORT], WFCTL_TOKEN_FILE has the token, and WFCTL_CA
names the file of the trusted authorities. The token needs the role 'send'.
"""
import os
import pathlib
import ssl
import sys
import uuid

import wfd_client
from wfd_client.api.default import list_events, send_event, start_instance
from wfd_client.models import Problem, SendRequest, StartRequest


def connect():
    return wfd_client.AuthenticatedClient(
        base_url=os.environ["WFCTL_ADDRESS"],
        token=pathlib.Path(os.environ["WFCTL_TOKEN_FILE"]).read_text().strip(),
        verify_ssl=ssl.create_default_context(cafile=os.environ.get("WFCTL_CA")),
    )


def send(client, name, event, key):
    """Sends an event, and prints the new state or the refusal. With the same key it is carried out once."""
    answer = send_event.sync(name, client=client, body=SendRequest(event=event), idempotency_key=key)
    if isinstance(answer, Problem):
        accepted = ", ".join(answer.accepted or [])
        print(f"{event}: {answer.status} {answer.type_}; accepted now: {accepted}")
    else:
        print(f"{event}: {answer.from_[0]} -> {answer.to[0]}, seq {answer.seq}")


def main(name):
    with connect() as client:
        started = start_instance.sync(client=client, body=StartRequest(machine="door", instance=name))
        if isinstance(started, Problem):
            sys.exit(started.detail)
        key = str(uuid.uuid4())
        send(client, name, "open", key)
        # As after a lost answer: the key makes it the same request.
        send(client, name, "open", key)
        send(client, name, "open", str(uuid.uuid4()))
        events = list_events.sync(name, client=client)
        print("accepted:", ", ".join(item.event for item in events.items if item.accepted))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
