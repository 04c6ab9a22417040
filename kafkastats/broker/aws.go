package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
)

// iam logs in to Amazon MSK with the credentials that AWS's own chain finds: environment, shared
// files, SSO, the web identity of a pod (IRSA), ECS and EC2. The options are those of
// IAMLoginModule (aws-msk-iam-auth): awsProfileName, awsRoleArn, awsRoleSessionName,
// awsStsRegion. Credentials are requested at every login, because they expire.
func iam(options map[string]string) sasl.Mechanism {
	return aws.ManagedStreamingIAM(func(ctx context.Context) (aws.Auth, error) {
		a, err := awsCredentials(ctx, options)
		if err != nil {
			return a, fmt.Errorf("AWS_MSK_IAM found no credentials (environment, profile, SSO, web identity, instance; `aws sts get-caller-identity` tells what the AWS CLI finds): %w", err)
		}
		return a, nil
	})
}

func awsCredentials(ctx context.Context, options map[string]string) (aws.Auth, error) {
	var load []func(*config.LoadOptions) error
	if profile := options["awsProfileName"]; profile != "" {
		load = append(load, config.WithSharedConfigProfile(profile))
	}
	found, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return aws.Auth{}, err
	}
	provider := found.Credentials
	if role := options["awsRoleArn"]; role != "" {
		provider = stscreds.NewAssumeRoleProvider(sts.NewFromConfig(found, func(o *sts.Options) {
			o.Region = first(options["awsStsRegion"], o.Region)
		}), role, func(o *stscreds.AssumeRoleOptions) {
			o.RoleSessionName = first(options["awsRoleSessionName"], "tidemark")
		})
	}
	if provider == nil {
		return aws.Auth{}, errors.New("the chain is empty")
	}
	c, err := provider.Retrieve(ctx)
	return aws.Auth{AccessKey: c.AccessKeyID, SecretKey: c.SecretAccessKey, SessionToken: c.SessionToken}, err
}
