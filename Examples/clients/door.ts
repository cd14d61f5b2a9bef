// Opens a door with the client that openapi-generator makes from docs/openapi.json: door.js INSTANCE
//
// WFCTL_ADDRESS is https://HOST[:PORT], WFCTL_TOKEN_FILE has the token, and NODE_EXTRA_CA_CERTS names the file of an
// authority of your own. The token needs the role 'send'.
import { Configuration, DefaultApi, Problem, ProblemFromJSON, ResponseError } from "./wfd_client";

declare const process: { argv: string[]; env: Record<string, string>; exitCode: number };
declare function require(name: string): any;
const { readFileSync } = require("fs");
const { randomUUID } = require("crypto");

const api = new DefaultApi(
    new Configuration({
        basePath: process.env.WFCTL_ADDRESS,
        accessToken: readFileSync(process.env.WFCTL_TOKEN_FILE, "utf8").trim(),
    }),
);

/** Sends an event, and prints the new state or the refusal. With the same key it is carried out once. */
async function send(instance: string, event: string, idempotencyKey: string): Promise<void> {
    try {
        const answer = await api.sendEvent({ instance, sendRequest: { event }, idempotencyKey });
        console.log(`${event}: ${answer.from[0]} -> ${answer.to[0]}, seq ${answer.seq}`);
    } catch (error) {
        if (!(error instanceof ResponseError)) throw error;
        const problem: Problem = ProblemFromJSON(await error.response.json());
        console.log(`${event}: ${problem.status} ${problem.type}; accepted now: ${problem.accepted?.join(", ")}`);
    }
}

async function main(instance: string): Promise<void> {
    await api.startInstance({ startRequest: { machine: "door", instance } });
    const key = randomUUID();
    await send(instance, "open", key);
    // As after a lost answer: the key makes it the same request.
    await send(instance, "open", key);
    await send(instance, "open", randomUUID());
    const events = await api.listEvents({ instance });
    console.log("accepted:", events.items.filter((item) => item.accepted).map((item) => item.event).join(", "));
}

main(process.argv[2]).catch((error) => {
    console.error(error);
    process.exitCode = 1;
});
